"""The local app: the functions of the command line behind a page in the browser, on this machine only."""
