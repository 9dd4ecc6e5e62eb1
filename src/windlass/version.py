"""The version, for those who need it without asking the installed metadata."""

VERSION = "0.1.0"
