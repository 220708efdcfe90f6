"""Habits of public CSV files: how each changes a draft, and the options that say what it means."""

from __future__ import annotations

import datetime
from collections.abc import Callable

from odd_csv import Draft, add_label

HABITS: dict[str, Callable[[Draft], None]] = {}


def habit(change: Callable[[Draft], None]) -> Callable[[Draft], None]:
    HABITS[change.__name__.replace("_", " ")] = change
    return change


def sound(change: Callable[[Draft], None]) -> Callable[[Draft], None]:
    """A habit that leaves no doubt: the file is to be read at once."""

    def changed(made: Draft) -> None:
        change(made)
        made.is_sound = True
        made.told = []

    changed.__name__ = change.__name__
    return habit(changed)


def drop(made: Draft, at: int) -> list[str]:
    return ["--csv-drop", made.names[at]]


# ---- in doubt of nothing -----------------------------------------------------------------


@sound
def plain(made: Draft) -> None:
    pass


@sound
def carriage_returns(made: Draft) -> None:
    made.line_end = made.chance.choice(("\r\n", "\r"))


@sound
def byte_order_mark(made: Draft) -> None:
    made.mark = b"\xef\xbb\xbf"
    made.quotes_all = made.chance.random() < 0.5


@sound
def everything_quoted(made: Draft) -> None:
    made.quotes_all = True


@sound
def no_last_line_end(made: Draft) -> None:
    made.ends_with_line = False


@sound
def blanks_around_cells(made: Draft) -> None:
    pads = made.chance.choice((("", " "), (" ", ""), ("  ", "\t")))
    for row in made.texts:
        row[:] = [pads[0] + cell + pads[1] for cell in row]
    made.quotes_all = False


@sound
def empty_lines(made: Draft) -> None:
    made.every_line = lambda number, line: line + ("\n" if number % 5 == 4 else "")
    made.after = ["", ""]


@sound
def delimiters_and_line_ends_in_quotes(made: Draft) -> None:
    at = made.column(str)
    for row, written in zip(made.truth, made.texts, strict=True):
        row[at] = written[at] = f'{written[at]}, "the"\n{written[at]}'


@sound
def exponents_and_plus_signs(made: Draft) -> None:
    at = made.column(float)
    form = made.chance.choice(("{:.3e}", "{:+.3f}", "{:.4E}"))
    texts = [form.format(row[at]) for row in made.truth]
    made.set_values(at, [float(text) for text in texts], texts)


@sound
def empty_cells(made: Draft) -> None:
    at = made.column(float)
    word = made.chance.choice(("", "NA", "NaN", "nan"))
    for row in made.chance.sample(range(len(made.truth)), 4):
        made.truth[row][at] = None
        made.texts[row][at] = word


@sound
def labels_of_plus_and_minus_one(made: Draft) -> None:
    if made.label is None:
        add_label(made, made.chance.choice((("-1", "+1"), ("-1", "1"), ("1.0", "2.0"))))


@sound
def many_columns(made: Draft) -> None:
    for extra in range(300):
        made.names.append(f"wide{extra}")
        for row, written in zip(made.truth, made.texts, strict=True):
            value = made.chance.randint(0, 255)
            row.append(float(value))
            written.append(str(value))


@sound
def names_twice(made: Draft) -> None:
    first, second = [at for at in range(len(made.names)) if at != made.label][:2]
    made.names[second] = made.names[first]


@sound
def truth_values(made: Draft) -> None:
    at = made.column(str)
    words = made.chance.choice((("TRUE", "FALSE"), ("True", "False"), ("Y", "N"), ("+", "-")))
    texts = [*words, *(made.chance.choice(words) for _ in made.truth[2:])]
    made.set_values(at, list(texts), texts)


@sound
def numbers_that_stand_for_no_value(made: Draft) -> None:
    """A user knows of them."""
    at = made.column(float)
    for row in made.chance.sample(range(len(made.truth)), 4):
        made.truth[row][at] = None
        made.texts[row][at] = "9999"
    made.options += ["--csv-missing", "9999"]


@sound
def numbers_without_names(made: Draft) -> None:
    words = [at for at in range(len(made.names)) if any(isinstance(r[at], str) for r in made.truth)]
    for at in reversed(words):
        for row in (made.names, *made.truth, *made.texts):
            del row[at]
        if made.label is not None and made.label >= at:
            made.label = None if made.label == at else made.label - 1
    made.has_header = False
    made.names = [str(at) for at in range(len(made.names))]
    made.texts[0][0] = "77.25"  # a first line of whole numbers might be names
    made.truth[0][0] = 77.25


@sound
def months_with_zeros(made: Draft) -> None:
    at = made.column(float)
    values = [made.chance.randint(1, 12) for _ in made.truth]
    made.set_values(at, [float(value) for value in values], [f"{value:02d}" for value in values])


# ---- delimiters --------------------------------------------------------------------------


@habit
def other_delimiters(made: Draft) -> None:
    made.delimiter = made.chance.choice((";", "\t", "|"))
    made.told = ["--csv-delimiter", "tab" if made.delimiter == "\t" else made.delimiter]


@habit
def delimiters_that_nobody_knows(made: Draft) -> None:
    made.delimiter = made.chance.choice(("::", "^", "~", "\x01"))


@habit
def a_line_that_names_the_delimiter(made: Draft) -> None:
    made.delimiter = ";"
    made.before = ["sep=;"]


@habit
def trailing_delimiters(made: Draft) -> None:
    made.every_line = lambda _, line: line + ","
    made.told = ["--csv-drop", ""]


@habit
def trailing_delimiters_below_the_header(made: Draft) -> None:
    made.every_line = lambda number, line: line + ("," if number > 0 else "")


# ---- numbers -----------------------------------------------------------------------------


def spoil(made: Draft, change: Callable[[str], str], low: float = 1, high: float = 999) -> int:
    """Writes numbers of a column in another way."""
    at = made.column(float)
    digits = made.chance.choice((0, 1, 2))
    texts = [f"{made.chance.uniform(low, high):.{digits}f}" for _ in made.truth]
    made.set_values(at, [float(text) for text in texts], [change(text) for text in texts])
    return at


@habit
def decimal_commas(made: Draft) -> None:
    made.delimiter = made.chance.choice((";", "\t", ","))
    for row, written in zip(made.truth, made.texts, strict=True):
        for at, value in enumerate(row):
            if isinstance(value, float):
                written[at] = written[at].replace(".", ",")
    name = "tab" if made.delimiter == "\t" else made.delimiter
    made.told = ["--csv-decimal", ",", "--csv-delimiter", name]


@habit
def thousands_marks(made: Draft) -> None:
    mark = made.chance.choice((",", " ", "'", "\u00a0", "_", "\u202f"))
    values = [round(made.chance.uniform(800, 90000), 1) for _ in made.truth]
    texts = [f"{value:,.1f}".replace(",", mark) for value in values]
    made.set_values(made.column(float), values, texts)


@habit
def points_before_thousands(made: Draft) -> None:
    at = made.column(float)
    values = [7, 7250, 12000, 1500, *(made.chance.randint(1, 90000) for _ in made.truth[4:])]
    texts = [f"{value:,}".replace(",", ".") for value in values]
    made.set_values(at, [float(value) for value in values], texts)


@habit
def points_before_all_thousands_and_semicolons(made: Draft) -> None:
    at = made.column(float)
    values = [made.chance.randint(1000, 999999) for _ in made.truth]
    texts = [f"{value:,}".replace(",", ".") for value in values]
    made.set_values(at, [float(value) for value in values], texts)
    made.delimiter = ";"
    made.options += ["--csv-delimiter", ";"]


@habit
def currencies(made: Draft) -> None:
    sign = made.chance.choice(
        ("${}", "{} €", "£{}", "US$ {}", "{} kr", "R$ {}", "{} zł", "₹{}", "Rs. {}")
    )
    spoil(made, sign.format)


@habit
def percentages(made: Draft) -> None:
    spoil(made, made.chance.choice(("{}%", "{} %")).format, 0, 99)


@habit
def units(made: Draft) -> None:
    unit = made.chance.choice(
        ("{} kg", "{}cm", "{} years", "{} km/h", "{}°C", "{} m²", "{}°N", "{}k")
    )
    spoil(made, unit.format)


@habit
def brackets_and_odd_signs(made: Draft) -> None:
    spoil(made, made.chance.choice(("({})", "{}-", "~{}", "'{}", "'{}'", "\u2212{}", "±{}")).format)


@habit
def odd_exponents(made: Draft) -> None:
    spoil(made, made.chance.choice(("{}D+02", "{}×10^3", "{}*10^3", "{}±0.1")).format)


@habit
def characters_that_nobody_sees(made: Draft) -> None:
    spoil(made, made.chance.choice(("\u200b{}", "{}\u00a0", "\ufeff{}")).format)


@habit
def a_word_among_numbers(made: Draft) -> None:
    at = made.column(float)
    row = made.chance.randrange(len(made.truth))
    made.texts[row][at] = made.chance.choice(("about 5", "<5", "1,5", "5*", "12.3.4"))


@habit
def infinite_numbers(made: Draft) -> None:
    made.texts[3][made.column(float)] = made.chance.choice(("inf", "1e400", "-Infinity"))


# ---- dates -------------------------------------------------------------------------------


@habit
def dates(made: Draft) -> None:
    form = made.chance.choice(
        ("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d-%b-%y", "%b %d, %Y", "%Y-%m-%dT%H:%M:%S", "%H:%M",
         "%A, %d %B %Y", "%Y%m%d", "%Y-%m", "%B %Y", "%Y%m%d%H%M%S", "%a %d %b", "%Y/%m/%d %H:%M")
    )  # fmt: skip
    days = [
        datetime.datetime(2019, 3, 5, 7) + datetime.timedelta(days=9.3 * i)
        for i in range(len(made.truth))
    ]
    at = made.chance.randrange(len(made.names))
    made.add(at, made.chance.choice(("date", "when", "time")), [day.strftime(form) for day in days])
    made.told = drop(made, at)


# ---- missing values ----------------------------------------------------------------------


MISSING = (
    "?",
    "-",
    "n/a",
    "N/A",
    "null",
    "NULL",
    "None",
    ".",
    "--",
    "\\N",
    "#N/A",
    "n.a.",
    "missing",
    "*",
)


@habit
def words_for_missing_numbers(made: Draft) -> None:
    at = made.column(float)
    word = made.chance.choice(MISSING)
    count = made.chance.choice((1, 3, len(made.truth) // 2, len(made.truth) - 2))
    for row in made.chance.sample(range(len(made.truth)), count):
        made.truth[row][at] = None
        made.texts[row][at] = word
    made.told = ["--csv-missing", word]


@habit
def unknown_words_for_most_numbers(made: Draft) -> None:
    at = made.column(float)
    texts = [f"{i + 0.5}" for i in range(12)] + ["keine Angabe"] * (len(made.truth) + 8)
    for _ in texts[len(made.truth) :]:
        made.truth.append(list(made.truth[0]))
        made.texts.append(list(made.texts[0]))
    made.set_values(at, [None if text[0] == "k" else float(text) for text in texts], texts)
    made.told = ["--csv-missing", "keine Angabe"]


@habit
def marks_for_missing_words(made: Draft) -> None:
    at = made.column(str)
    word = made.chance.choice(("?", "-", "n/a", "N/A", "null", "\\N", "--", "#N/A"))
    for row in made.chance.sample(range(2, len(made.truth)), 3):
        made.truth[row][at] = None
        made.texts[row][at] = word
    made.told = ["--csv-missing", word]


@habit
def negative_numbers_for_missing_ones(made: Draft) -> None:
    at = made.column(float)
    word = made.chance.choice(("-999", "-99", "-9999", "-999.0"))
    made.set_values(
        at,
        [i + 1.5 for i in range(len(made.truth))],
        [f"{i + 1.5}" for i in range(len(made.truth))],
    )
    for row in made.chance.sample(range(len(made.truth)), 3):
        made.truth[row][at] = None
        made.texts[row][at] = word
    made.told = ["--csv-missing", word]


# ---- rows that are none, columns that are none -------------------------------------------


def row_numbers(made: Draft, at: int, name: str, texts: list[str]) -> None:
    made.add(at, name, texts)
    made.told = drop(made, at)


@habit
def an_index(made: Draft) -> None:
    first = made.chance.choice((0, 1))
    name = made.chance.choice(("", "Unnamed: 0", "id", "PassengerId", "index", "row_id", "user_id"))
    row_numbers(made, 0, name, [str(first + i) for i in range(len(made.truth))])


@habit
def an_index_of_chosen_rows(made: Draft) -> None:
    chosen = made.chance.sample(range(1000), len(made.truth))
    if made.chance.random() < 0.5:
        chosen.sort()
    row_numbers(
        made,
        0,
        made.chance.choice(("", "Unnamed: 0", "id", "customer_id")),
        [str(i) for i in chosen],
    )


@habit
def an_index_behind_the_others(made: Draft) -> None:
    row_numbers(
        made,
        len(made.names),
        made.chance.choice(("id", "ID", "rowid")),
        [str(i) for i in range(len(made.truth))],
    )


@habit
def names_of_rows(made: Draft) -> None:
    form = made.chance.choice(("Mr. {}, Ann", "7590-{}X", "sample {} b"))
    made.told = []
    while len(made.truth) < 20:
        made.truth.append(list(made.truth[0]))
        made.texts.append(list(made.texts[0]))
    texts = [form.format(i * 37 % 1009) for i in range(len(made.truth))]
    row_numbers(made, 0, made.chance.choice(("name", "customerID")), texts)


@habit
def names_of_rows_without_a_name(made: Draft) -> None:
    made.every_line = lambda number, line: line if number == 0 else f'"{number}",{line}'


@habit
def comments(made: Draft) -> None:
    line = "# measured in 2019 by hand"
    if made.chance.random() < 0.5:
        made.before = [line, "#"]
    else:
        made.every_line = lambda number, text: text + ("\n" + line if number == 6 else "")


@habit
def a_title(made: Draft) -> None:
    title = "Table 3: what was measured"
    made.before = [title + made.chance.choice(("", "," * (len(made.names) - 1)))]


@habit
def a_footer(made: Draft) -> None:
    made.after = made.chance.choice((["Source: the bureau"], ["", "Source: the bureau"], ["\x1a"]))


@habit
def lines_of_delimiters(made: Draft) -> None:
    made.after = ["," * (len(made.names) - 1)] * 3


@habit
def a_last_row_of_sums(made: Draft) -> None:
    if made.label is not None:
        for row in (made.names, *made.truth, *made.texts):
            del row[made.label]
        made.label = None
    at = made.column(str)
    made.after = [
        ",".join(
            "Total" if i == at else "" if isinstance(v, str) else "99"
            for i, v in enumerate(made.truth[0])
        )
    ]


@habit
def the_header_again(made: Draft) -> None:
    header = made.line(made.names)
    made.every_line = lambda number, line: line + ("\n" + header if number == 7 else "")


@habit
def units_below_the_header(made: Draft) -> None:
    made.below_header = [",".join("-" if isinstance(v, str) else "cm" for v in made.truth[0])]


@habit
def years_as_names(made: Draft) -> None:
    made.options = []
    count = 0
    for at, value in enumerate(made.truth[0]):
        if isinstance(value, float) and at != made.label:
            made.names[at] = str(2001 + count)
            count += 1
    made.told = ["--csv-header", "yes"]


@habit
def words_without_names(made: Draft) -> None:
    numbers = [at for at in range(len(made.names)) if not isinstance(made.truth[0][at], str)]
    for at in reversed(numbers):
        for row in (made.names, *made.truth, *made.texts):
            del row[at]
        if made.label is not None and made.label >= at:
            made.label = None if made.label == at else made.label - 1
    made.names = [str(at) for at in range(len(made.names))]
    made.has_header = False
    made.told = ["--csv-header", "no"]


@habit
def a_first_row_without_values(made: Draft) -> None:
    numbers_without_names(made)
    made.is_sound = False
    made.texts[0] = ["?"] * len(made.names)
    made.truth[0] = [None] * len(made.names)
    made.label = None
    made.told = ["--csv-missing", "?", "--csv-header", "no"]


@habit
def short_and_long_rows(made: Draft) -> None:
    long = made.chance.random() < 0.5
    made.every_line = lambda number, line: (
        line if number != 5 else line + ",1" if long else line.rsplit(",", 1)[0]
    )


@habit
def one_column_with_gaps(made: Draft) -> None:
    at = made.column(float)
    made.names = [made.names[at]]
    made.truth = [[row[at]] for row in made.truth]
    made.texts = [[row[at]] for row in made.texts]
    made.label = None
    for row in made.chance.sample(range(1, len(made.truth) - 1), 2):
        made.truth[row][0] = None
        made.texts[row][0] = ""


# ---- quotes, encodings, spellings --------------------------------------------------------


@habit
def an_open_quote(made: Draft) -> None:
    made.every_line = lambda number, line: '"' + line if number == 4 else line


@habit
def quotes_behind_backslashes(made: Draft) -> None:
    at = made.column(str)
    quoted = made.chance.choice(('"say \\"{}\\""', '"{}\\""', '"\\"{}"'))
    head = made.line(made.names)

    def line(number: int, text: str) -> str:
        if number == 0:
            return head
        cells = list(made.texts[number - 1])
        cells[at] = quoted.format(cells[at])
        return ",".join(cells)

    for row in made.truth:
        row[at] = quoted[1:-1].replace('\\"', '"').format(row[at])
    made.every_line = line


@habit
def latin_1(made: Draft) -> None:
    made.texts[2][made.column(str)] = "Malmö"
    made.encoding = "latin-1"


@habit
def two_encodings(made: Draft) -> None:
    at = made.column(str)
    made.texts[2][at] = made.truth[2][at] = "Malmö"
    made.change_bytes = lambda content: content.replace("Malmö".encode(), "Malmö".encode("cp1252"))


@habit
def utf_16(made: Draft) -> None:
    made.encoding = made.chance.choice(("utf-16", "utf-16-le"))


@habit
def two_spellings(made: Draft) -> None:
    at = made.column(str)
    word = str(made.truth[0][at])
    other = made.chance.choice((word.upper(), word.capitalize(), word + "\u00a0", f"{word}  "))
    made.texts[5][at] = other
    made.truth[5][at] = word
    made.quotes_all = True
