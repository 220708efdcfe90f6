// A shared library that is no plugin.
extern "C" int regatta_engine_plug();
int regatta_engine_plug() { return 0; }
