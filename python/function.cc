// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "python/function.h"

#include <structmember.h>

#include <cstddef>

namespace detops::python {
namespace {

namespace nb = nanobind;

// The module that users import the functions from.
constexpr const char* kPackage = "detops";

// __name__, __qualname__, __module__ and __doc__ are in the dictionary.
struct Function {
  PyObject base;
  vectorcallfunc vectorcall;
  PyObject* native;  // nanobind's function
  PyObject* name;
  PyObject* dictionary;
  PyObject* weak_references;
};

Function* FunctionOf(PyObject* self) { return reinterpret_cast<Function*>(self); }

PyObject* Forward(PyObject* self, PyObject* const* arguments, size_t count, PyObject* names) {
  return PyObject_Vectorcall(FunctionOf(self)->native, arguments, count, names);
}

int Traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(FunctionOf(self)->native);
  Py_VISIT(FunctionOf(self)->dictionary);
  return 0;
}

int Clear(PyObject* self) {
  Py_CLEAR(FunctionOf(self)->native);
  Py_CLEAR(FunctionOf(self)->name);
  Py_CLEAR(FunctionOf(self)->dictionary);
  return 0;
}

void Deallocate(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  PyObject_ClearWeakRefs(self);
  Clear(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* ToText(PyObject* self) {
  return PyUnicode_FromFormat("<function %s.%U>", kPackage, FunctionOf(self)->name);
}

// As an attribute of a class, a function is not bound to instances, like Python's built-in ones.
// Tools that list routines look for this method.
PyObject* Get(PyObject* self, PyObject* /*instance*/, PyObject* /*owner*/) {
  Py_INCREF(self);
  return self;
}

// Pickle and copy take a name that is returned for that of a global of the module.
PyObject* Reduce(PyObject* self, PyObject* /*unused*/) {
  Py_INCREF(FunctionOf(self)->name);
  return FunctionOf(self)->name;
}

// Built on demand, because the module `inspect` takes milliseconds to import.
PyObject* Signature(PyObject* self, void* /*closure*/) {
  try {
    return nb::module_::import_("detops._signature")
        .attr("signature")(nb::handle(FunctionOf(self)->native))
        .release()
        .ptr();
  } catch (nb::python_error& error) {
    error.restore();
    return nullptr;
  }
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Function, vectorcall), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(Function, dictionary), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Function, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

PyGetSetDef properties[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {"__signature__", Signature, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef methods[] = {{"__reduce__", Reduce, METH_NOARGS, nullptr},
                         {nullptr, nullptr, 0, nullptr}};

PyType_Slot slots[] = {{Py_tp_members, members},
                       {Py_tp_getset, properties},
                       {Py_tp_methods, methods},
                       {Py_tp_traverse, reinterpret_cast<void*>(Traverse)},
                       {Py_tp_clear, reinterpret_cast<void*>(Clear)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(Deallocate)},
                       {Py_tp_repr, reinterpret_cast<void*>(ToText)},
                       {Py_tp_descr_get, reinterpret_cast<void*>(Get)},
                       {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                       {0, nullptr}};

PyType_Spec specification = {
    .name = "detops.function",
    .basicsize = sizeof(Function),
    .itemsize = 0,
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .slots = slots};

nb::object NewFunction(const nb::object& type, nb::handle name, nb::handle native) {
  nb::object result =
      nb::steal(PyType_GenericAlloc(reinterpret_cast<PyTypeObject*>(type.ptr()), 0));
  if (!result.is_valid()) {
    nb::raise_python_error();
  }
  Function* const function = FunctionOf(result.ptr());
  function->vectorcall = Forward;
  function->native = native.inc_ref().ptr();
  function->name = name.inc_ref().ptr();
  result.attr("__name__") = name;
  result.attr("__qualname__") = name;
  result.attr("__module__") = kPackage;
  // nanobind's own __doc__ starts with the signature, which __signature__ provides.
  constexpr int kDoc = 1;
  result.attr("__doc__") = native.attr("__nb_signature__")[0][kDoc];
  return result;
}

}  // namespace

void WrapFunctions(nb::module_& module) {
  const nb::object type = nb::steal(PyType_FromSpec(&specification));
  if (!type.is_valid()) {
    nb::raise_python_error();
  }
  const auto members_before = nb::borrow<nb::dict>(module.attr("__dict__").attr("copy")());
  for (const auto [name, value] : members_before) {
    if (nb::hasattr(value, "__nb_signature__")) {
      nb::setattr(module, name, NewFunction(type, name, value));
    }
  }
}

}  // namespace detops::python
