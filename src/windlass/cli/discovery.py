"""Finding the app that a command is about."""

from __future__ import annotations

import os
import sys
from functools import reduce
from importlib import import_module
from pathlib import Path
from traceback import extract_tb
from types import ModuleType

from windlass.app import DEFAULT_URL, Windlass
from windlass.errors import ConfigError, StoreNotFound
from windlass.settings import setting

_CANDIDATES = ("jobs", "tasks", "app")
_DEFAULT_FILE = Path(DEFAULT_URL.removeprefix("sqlite:///"))


def load_app(name: str | None, url: str | None, namespace: str | None = None) -> Windlass:
    """The app with its tasks: named, in ``$WINDLASS_APP``, or found in the working folder; ``url`` and ``namespace``
    move it.
    """
    if url is not None:
        # For apps that name no store; one that does must agree.
        os.environ["WINDLASS_URL"] = url
    if namespace is not None:
        os.environ["WINDLASS_NAMESPACE"] = namespace
    app = _named_or_found(name)
    if app is None:
        raise ConfigError(
            f"no app found: name one with --app module:object or $WINDLASS_APP; there is no Windlass object in "
            f"{', '.join(f'{name}.py' for name in _CANDIDATES)} of {Path.cwd()}"
        )
    if url is not None and app.url != url:
        raise ConfigError(f"--url is not the store that the app names for itself ({app.store}); leave one of them out")
    return _in_namespace(app, namespace)


def _in_namespace(app: Windlass, namespace: str | None) -> Windlass:
    own = app._session.namespace
    if namespace is not None and own != namespace:
        raise ConfigError(f"--namespace is not the one that the app names for itself ({own}); leave one of them out")
    return app


def managed_app(name: str | None, url: str | None, namespace: str | None = None) -> Windlass:
    """An app to manage a store with. ``url`` alone is enough, and then no code of the user's is loaded."""
    if name is not None:
        return load_app(name, url, namespace)
    if namespace is not None:
        os.environ["WINDLASS_NAMESPACE"] = namespace
    if url is not None:
        return Windlass(url)
    app = _named_or_found(None)
    if app is not None:
        return _in_namespace(app, namespace)
    if setting("url", None) is None and not _DEFAULT_FILE.exists():
        raise StoreNotFound(
            f"there is no store at {Path.cwd() / _DEFAULT_FILE}; name one with --url or $WINDLASS_URL, or an app with "
            "--app module:object"
        )
    return Windlass()


def _named_or_found(name: str | None) -> Windlass | None:
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    chosen = setting("app", name)
    if chosen is not None:
        return _named(chosen)
    files = [candidate for candidate in _CANDIDATES if Path(f"{candidate}.py").is_file()]
    return next((app for file in files if (app := _only_app(_import(file))) is not None), None)


def _named(name: str) -> Windlass:
    module_name, colon, path = name.partition(":")
    module = _import(module_name)
    found = _at(module, path) if colon else _only_app(module)
    if found is None:
        raise ConfigError(f"--app {name}: module {module_name!r} has no Windlass object")
    if not isinstance(found, Windlass):
        raise ConfigError(f"--app {name}: {path!r} is a {type(found).__name__}, not a Windlass object")
    return found


def _at(module: ModuleType, path: str) -> object:
    try:
        return reduce(getattr, path.split("."), module)
    except AttributeError:
        raise ConfigError(f"--app {module.__name__}:{path}: module {module.__name__!r} has no {path!r}") from None


def _only_app(module: ModuleType) -> Windlass | None:
    """The module's app under whatever name, or None where it has none."""
    apps = {id(value): name for name, value in vars(module).items() if isinstance(value, Windlass)}
    if len(apps) > 1:
        choice = " or ".join(f"{module.__name__}:{name}" for name in apps.values())
        raise ConfigError(f"module {module.__name__!r} has {len(apps)} apps; name one: --app {choice}")
    return next((getattr(module, name) for name in apps.values()), None)


def _import(name: str) -> ModuleType:
    if not all(part.isidentifier() for part in name.split(".")) or name.endswith(".py"):
        raise ConfigError(f"--app {name!r}: write a module and an object, as in jobs:app, or a module alone")
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise ConfigError(f"--app {name}: there is no module {error.name!r} in {Path.cwd()} or installed") from None
        raise _broken(name, error) from error
    except (Exception, SystemExit) as error:  # user code may raise anything while it is loaded
        raise _broken(name, error) from error


def _broken(name: str, error: BaseException) -> ConfigError:
    """What went wrong, and the line of code where it did."""
    if isinstance(error, SyntaxError):
        return ConfigError(
            f"importing {name!r} failed: SyntaxError: {error.msg} ({error.filename}, line {error.lineno})"
        )
    frame = extract_tb(error.__traceback__)[-1]
    return ConfigError(
        f"importing {name!r} failed: {type(error).__name__}: {error} ({frame.filename}, line {frame.lineno})"
    )
