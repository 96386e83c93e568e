#!/bin/sh
# Installs kibitz as a server: a virtual environment, a private data folder and, if wanted, a user and a systemd unit.
# Run it again to update; the data stay as they are. `install.sh --help` explains the options.
set -eu
umask 022

usage() {
    cat <<'END'
Usage: install.sh --prefix FOLDER [OPTIONS]

  --prefix FOLDER   where the program goes (for example /opt/kibitz)
  --data FOLDER     where the database and the matches go (default: PREFIX/data); only its user can read it
  --user NAME       the user that runs the server, made if missing; needs root (default: who runs this script)
  --unit FOLDER     write the systemd unit kibitz.service into this folder (usually /etc/systemd/system)
  --python PROGRAM  a Python of at least 3.11 (default: python3)
  --lock FILE       the versions to install (default: requirements.lock beside this script)
  --warmup          compile all kernels now, which takes minutes, and not when they are first needed
END
}

fail() {
    echo "install.sh: $1" >&2
    exit 2
}

absolute() {
    case $1 in
        /*) printf '%s' "$1" ;;
        *) printf '%s/%s' "$(pwd)" "$1" ;;
    esac
}

prefix='' data='' user='' unit='' python=python3 lock='' warmup=''
while [ $# -gt 0 ]; do
    case $1 in
        --help | -h) usage; exit 0 ;;
        --warmup) warmup=yes; shift; continue ;;
        --prefix | --data | --user | --unit | --python | --lock)
            [ $# -ge 2 ] && [ -n "$2" ] || fail "$1 needs a value" ;;
        *) fail "unknown option $1; see install.sh --help" ;;
    esac
    case $1 in
        --prefix) prefix=$(absolute "$2") ;;
        --data) data=$(absolute "$2") ;;
        --user) user=$2 ;;
        --unit) unit=$(absolute "$2") ;;
        --python) python=$2 ;;
        --lock) lock=$(absolute "$2") ;;
    esac
    shift 2
done
[ -n "$prefix" ] || fail "name a folder to install into: --prefix FOLDER"
case $prefix$data in
    *[!A-Za-z0-9/._-]*) fail "folders may have letters, digits, dots, dashes and underscores in their names" ;;
esac
case $user in
    *[!a-z0-9_-]*) fail "the user $user has a name that no user can have" ;;
esac
here=$(cd "$(dirname "$0")" && pwd)
source=$(dirname "$here")
data=${data:-$prefix/data}
lock=${lock:-$here/requirements.lock}
[ -f "$lock" ] || fail "there is no file $lock"
[ -z "$unit" ] || [ -d "$unit" ] || fail "there is no folder $unit"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    fail "$python is no Python of at least 3.11; name one with --python"
if [ -n "$user" ] && [ "$user" != "$(id -un)" ] && [ "$(id -u)" != 0 ]; then
    fail "only root can install for another user"
fi

# 1. The user.
if [ -n "$user" ] && ! id -u "$user" >/dev/null 2>&1; then
    useradd --system --home-dir "$data" --no-create-home --shell /usr/sbin/nologin "$user"
fi
user=${user:-$(id -un)}

# 2. The program. uv installs in seconds what takes pip minutes; both check every package against the lock.
if [ -z "${KIBITZ_INSTALL_WITH_PIP:-}" ] && command -v uv >/dev/null 2>&1; then
    [ -x "$prefix/venv/bin/python" ] || uv venv --quiet --python "$python" "$prefix/venv"
    uv pip install --quiet --compile-bytecode --python "$prefix/venv/bin/python" --require-hashes -r "$lock"
    uv pip install --quiet --compile-bytecode --python "$prefix/venv/bin/python" --no-deps --reinstall "$source"/packages/*
else
    "$prefix/venv/bin/python" -m pip --version >/dev/null 2>&1 || "$python" -m venv "$prefix/venv" ||
        fail "$python cannot make a virtual environment (on Debian: apt-get install python3-venv)"
    "$prefix/venv/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r "$lock"
    "$prefix/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall "$source"/packages/*
fi

# 3. The data, which only the user can read.
mkdir -p "$data/matches" "$data/cache"
chmod 0700 "$data"
if [ "$(id -u)" = 0 ]; then
    chown "$user" "$data" "$data/matches" "$data/cache"
fi

# 4. A command that knows where the data are.
mkdir -p "$prefix/bin"
cat >"$prefix/bin/kibitz" <<END
#!/bin/sh
# kibitz with the data of this server: its database, its matches in play, its compiled kernels.
umask 077
export KIBITZ_DB="\${KIBITZ_DB:-$data/kibitz.db}" KIBITZ_FOLDER="\${KIBITZ_FOLDER:-$data/matches}"
export KIBITZ_KERNELS="\${KIBITZ_KERNELS:-$data/cache}"
exec "$prefix/venv/bin/kibitz" "\$@"
END
chmod 0755 "$prefix/bin/kibitz"

# 5. What is wanted besides.
if [ -n "$unit" ]; then
    sed -e "s|@PREFIX@|$prefix|g" -e "s|@DATA@|$data|g" -e "s|@USER@|$user|g" \
        "$here/kibitz.service" >"$unit/kibitz.service"
fi
as_user() {
    if [ "$user" = "$(id -un)" ]; then
        "$@"
    else
        setpriv --reuid "$user" --regid "$(id -g "$user")" --clear-groups "$@"
    fi
}
[ -z "$warmup" ] || as_user "$prefix/bin/kibitz" warmup --quiet
as_user "$prefix/bin/kibitz" --version
echo "installed in $prefix; the data are in $data; start it with: $prefix/bin/kibitz serve"
