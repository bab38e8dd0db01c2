# shellcheck shell=bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# Part of build-images.sh: base archives. A base holds the files of a few Debian packages, taken out of a root file system
# that setup-images.sh has made, and a Java runtime with the modules that its program needs. No shell, no package manager.

MULTIARCH=$(gcc -print-multiarch)

# Copies what packages own, without what no program reads, and what dpkg knows of them, where scanners look for it.
take_packages() { # root, destination, packages
  local root=$1 to=$2 package list
  shift 2
  mkdir -p "$to/var/lib/dpkg/status.d"
  for package in "$@"; do
    list=$root/var/lib/dpkg/info/$package.list
    [ -f "$list" ] || list=$root/var/lib/dpkg/info/$package:$DEBIAN_ARCHITECTURE.list
    [ -f "$list" ] || die "$root has no package $package"
    sed -n 's|^/\(..*\)|\1|p' "$list" \
      | grep -Ev '^usr/(s?bin|include|games|share/(man|info|locale|lintian|bug|base-files|doc-base|gdb|pkgconfig))(/|$)|^usr/lib/[^/]*/(gconv|pkgconfig|cmake)(/|$)|\.(a|h)$|^etc/(update-motd.d|skel|profile.d|issue)' \
      | while read -r file; do
          case "$file" in usr/share/doc/*/*) [ "${file##*/}" = copyright ] || continue ;; esac
          [ -e "$root/$file" ] || [ -L "$root/$file" ] || continue
          printf '%s\n' "$file"
        done \
      | tar -C "$root" --no-recursion -T - -cf - | tar -C "$to" -xpf -
    awk -v name="$package" 'BEGIN { RS = ""; ORS = "\n" } $0 ~ "^Package: " name "\n"' "$root/var/lib/dpkg/status" \
      > "$to/var/lib/dpkg/status.d/$package"
  done
  for package in bin lib lib64 sbin; do ln -sfn "usr/$package" "$to/$package"; mkdir -p "$to/usr/$package"; done
  mkdir -p "$to"/{dev,proc,sys,run,tmp,etc,opt,app}
  chmod 1777 "$to/tmp"
  printf 'root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/tmp:/sbin/nologin\n' > "$to/etc/passwd"
  printf 'root:x:0:\nnonroot:x:65532:\n' > "$to/etc/group"
  printf 'passwd: files\ngroup: files\nhosts: files dns\n' > "$to/etc/nsswitch.conf"
}

# Programs of a package that take_packages has taken: it leaves all of them out.
take_programs() { # root, destination, names
  local name
  mkdir -p "$2/usr/local/bin"
  for name in "${@:3}"; do install -m 0755 "$1"/usr/*bin/"$name" "$2/usr/local/bin/$name"; done
}

# Fails where a library or a program lacks a library: nobody would see it before it is loaded.
check_libraries() { # root
  local library missing places=("$1/usr/lib" "$1/opt/java/lib")
  [ ! -d "$1/usr/local/bin" ] || places+=("$1/usr/local/bin")
  find "${places[@]}" \( -name '*.so*' -o -path '*/usr/local/bin/*' \) -type f | while read -r library; do
    missing=$(chroot "$1" "/lib64/$(basename "$(ls "$1"/usr/lib64/ld-linux-*)")" --library-path /opt/java/lib/server --list "${library#"$1"}" 2>&1 | grep -E 'not found|cannot open' || true)
    [ -z "$missing" ] || printf '%s: %s\n' "${library#"$1"}" "$missing"
  done > "$1.missing"
  [ ! -s "$1.missing" ] || { cat "$1.missing" >&2; die "the base lacks libraries"; }
  rm -f "$1.missing"
}

java_runtime() { # destination, modules
  rm -rf "$1"
  "$JAVA_HOME/bin/jlink" --add-modules "$2" --strip-java-debug-attributes --no-header-files --no-man-pages --output "$1"
  # Programs other than java, and the licences' copies in every module but the first.
  find "$1/bin" -type f ! -name java -delete
}

# The modules that archives need, as jdeps sees them; those that are reached by name are added by hand.
java_modules() { # added by hand (comma list or empty), archives
  local found
  found=$("$JAVA_HOME/bin/jdeps" --multi-release 25 --ignore-missing-deps --print-module-deps "${@:2}")
  printf '%s%s' "$found" "${1:+,$1}"
}

# A docker archive with one layer: what jib takes as a base. The same files give the same bytes.
base_archive() { # root, archive
  local work
  work=$(mktemp -d)
  tar -C "$1" --sort=name --mtime=@1 --owner=0 --group=0 --numeric-owner --format=gnu -cf "$work/layer.tar" .
  cat > "$work/config.json" << EOF
{"architecture":"$DEBIAN_ARCHITECTURE","os":"linux","created":"1970-01-01T00:00:00Z","config":{"Env":["PATH=/usr/local/bin:/opt/java/bin"]},"rootfs":{"type":"layers","diff_ids":["sha256:$(sha256sum < "$work/layer.tar" | cut -d' ' -f1)"]},"history":[{"created":"1970-01-01T00:00:00Z","created_by":"scripts/build-images.sh"}]}
EOF
  printf '[{"Config":"config.json","RepoTags":[],"Layers":["layer.tar"]}]\n' > "$work/manifest.json"
  tar -C "$work" --sort=name --mtime=@1 --owner=0 --group=0 --numeric-owner --format=gnu -cf "$2" manifest.json config.json layer.tar
  rm -rf "$work"
}

# CycloneDX of the Debian packages in a root, by what dpkg says of them.
debian_sbom() { # root
  local file first=
  printf '{"bomFormat":"CycloneDX","specVersion":"1.6","version":1,"components":['
  for file in "$1"/var/lib/dpkg/status.d/*; do
    [ -z "$first" ] || printf ','
    first=no
    awk -v arch="$DEBIAN_ARCHITECTURE" -F': ' '$1 == "Package" { p = $2 } $1 == "Version" { v = $2 } END {
      e = v; gsub(/\+/, "%2B", e); gsub(/:/, "%3A", e)
      printf "{\"type\":\"library\",\"name\":\"%s\",\"version\":\"%s\",\"purl\":\"pkg:deb/debian/%s@%s?arch=%s\\u0026distro=trixie\"}", p, v, p, e, arch }' "$file"
  done
  printf ']}\n'
}
