// Python's and NumPy's C interfaces. NumPy's table of functions is one for the whole module:
// module.cpp, which fills it, defines PELLUCID_IMPORTS_NUMPY first.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define PY_ARRAY_UNIQUE_SYMBOL pellucid_array_api
#define PY_UFUNC_UNIQUE_SYMBOL pellucid_ufunc_api
#ifndef PELLUCID_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#define NO_IMPORT_UFUNC
#endif
#include <numpy/arrayobject.h>
#include <numpy/ufuncobject.h>
