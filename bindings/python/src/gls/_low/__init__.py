"""The library as SWIG shows it. Private: the package gls is the interface, this may change."""
