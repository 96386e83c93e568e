"""Files of plan libraries and observations: kibitz's own text form, XML and Lisp."""
