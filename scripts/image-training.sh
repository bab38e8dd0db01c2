# shellcheck shell=bash
# Copyright The fabric-operator authors.
# SPDX-License-Identifier: Apache-2.0
#
# Part of build-images.sh: training runs, in the root that the image will have. A stale cache would run stale code without a
# word (JDK-8377932), so a cache is never kept: it is made anew with the archive and the runtime that it belongs to.

# base and layer as one root, in a mount namespace that ends with the command
in_image() { # image's directory, command
  # shellcheck disable=SC2016 # expanded inside
  unshare --mount sh -euc '
    image=$1; shift
    mkdir -p "$image/upper" "$image/work" "$image/merged"
    mount -t overlay overlay -o "lowerdir=$image/layer:$image/root,upperdir=$image/upper,workdir=$image/work" "$image/merged"
    mount -t proc proc "$image/merged/proc"
    mount --bind /dev "$image/merged/dev"
    exec chroot "$image/merged" "$@"
  ' in_image "$@"
}

train_pmixd() { # image's directory
  in_image "$1" /opt/java/bin/java -XX:AOTCacheOutput=/tmp/pmixd.aot @/app/pmixd.options --help > "$1/training.log" 2>&1 || true
  [ -s "$1/upper/tmp/pmixd.aot" ] || { cat "$1/training.log" >&2; die "the training run wrote no AOT cache"; }
  mv "$1/upper/tmp/pmixd.aot" "$1/layer/app/"
  rm -rf "$1/upper" "$1/work" "$1/merged"
  touch -d @1 "$1/layer/app/pmixd.aot" "$1/layer/app" "$1/layer"
}
