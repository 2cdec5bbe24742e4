#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The rig's description is one that vagrant understands, whatever provider is installed.
. "$(dirname "$0")/../tap.sh"

need command vagrant

cp "$IOPROOF_SOURCE/Vagrantfile" "$(tap_dir)/" || exit 1
cd "$(tap_dir)" || exit 1
export VAGRANT_HOME=$PWD/home VAGRANT_CHECKPOINT_DISABLE=1
succeeds "vagrant validate" vagrant validate --ignore-provider
done_testing
