"""Data that go away or change while a run reads them."""

KINDS = ()
