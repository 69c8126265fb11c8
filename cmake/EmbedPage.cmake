# Run by cmake -P: writes OUTPUT, a C++ source that holds the named files (several = one after the other).
set(source "#include \"dreamgym/report/internal/page_data.h\"\n\nnamespace dreamgym::report_internal {\n")
foreach(name page_html page_css page_js chart_js)
  set(bytes "")
  foreach(file ${${name}})
    file(READ ${file} hex HEX)
    string(APPEND bytes "${hex}")
  endforeach()
  string(LENGTH "${bytes}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "(................................................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND source "\nstatic constexpr unsigned char k_${name}[] = {\n${bytes}};\n"
                       "std::string_view ${name}() {\n"
                       "  return {reinterpret_cast<const char*>(k_${name}), ${size}};\n}\n")
endforeach()
string(APPEND source "\n}  // namespace dreamgym::report_internal\n")
file(WRITE ${OUTPUT} "${source}")
