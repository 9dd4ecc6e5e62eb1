"""Finds and imports the app that a command is about."""

from __future__ import annotations

import os
import sys
from functools import reduce
from pathlib import Path
from types import ModuleType

from windlass.app import Windlass
from windlass.client.config import DEFAULT_URL, setting
from windlass.client.modules import is_module_name, load_module
from windlass.core.validate import listed
from windlass.errors import ConfigError, StoreNotFound

_CANDIDATES = ("jobs", "tasks", "app")
_DEFAULT_FILE = Path(DEFAULT_URL.removeprefix("sqlite:///"))


def load_app(name: str | None, url: str | None, namespace: str | None = None) -> Windlass:
    """The app with its tasks: named, in ``$WINDLASS_APP``, or found in the working folder; ``url`` and ``namespace``
    move it. ``name`` may name several modules, separated by commas, one of which has the app.
    """
    if url is not None:
        # For apps that name no store; an app that names one must agree.
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
    own = app.client.session.namespace
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
    app = _found() if chosen is None else _named(chosen)
    if app is not None:
        app.client.load_included()
    return app


def _found() -> Windlass | None:
    files = [candidate for candidate in _CANDIDATES if Path(f"{candidate}.py").is_file()]
    return next((app for file in files if (app := _only_app(_import(file))) is not None), None)


def _named(names: str) -> Windlass:
    """The one app of modules that are separated by commas. All are imported: each may declare tasks."""
    chosen = listed(names)
    if not chosen:
        raise ConfigError("--app is given but empty; name a module and an object, as in jobs:app, or a module alone")
    modules = [(name, _import(name.partition(":")[0])) for name in chosen]
    # Where an object is named, it is the app; other modules may have apps of their own.
    deciding = [(name, module) for name, module in modules if ":" in name] or modules
    apps = {id(app): (name, app) for name, module in deciding if (app := _app_of(name, module)) is not None}
    if not apps:
        which = f"module {chosen[0]!r} has no" if len(chosen) == 1 else "none of these modules has a"
        raise ConfigError(f"--app {names}: {which} Windlass object")
    if len(apps) > 1:
        choice = " and ".join(name for name, _ in apps.values())
        raise ConfigError(f"--app {names}: {choice} have an app each; a command is about one, as in module:object")
    [(_, app)] = apps.values()
    return app


def _app_of(name: str, module: ModuleType) -> Windlass | None:
    _, colon, path = name.partition(":")
    if not colon:
        return _only_app(module)
    found = _at(module, path)
    if not isinstance(found, Windlass):
        raise ConfigError(f"--app {name}: {path!r} is a {type(found).__name__}, not a Windlass object")
    return found


def _import(name: str) -> ModuleType:
    if not is_module_name(name):
        raise ConfigError(f"--app {name!r}: write a module and an object, as in jobs:app, or a module alone")
    return load_module(name, named_by="--app")


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
