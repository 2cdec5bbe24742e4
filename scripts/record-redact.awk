# SPDX-License-Identifier: GPL-2.0-or-later
# Replaces what is private in the files of a record; used by record-machine.sh.
#
# Input: "f FILE" and "l LINK TARGET", relative to `raw`. Each file is rewritten in place. Output:
# the same list with names redacted, and "q PATH" for the question. One run handles all files, so
# that a name becomes the same word everywhere. Whatever is not known to be general is replaced:
# the lists below are of words to keep.
BEGIN {
	split("bin boot dev etc home lib lib64 media mnt opt proc root run sbin srv sys tmp usr var " \
		"local share log cache cgroup system.slice user.slice init.scope machine.slice " \
		"app.slice session.slice kubepods kubepods.slice burstable besteffort docker " \
		"podman.service docker.service containerd.service lxc lxc.payload payload garden " \
		"containers storage overlay overlay2 overlay-containers overlay-images userdata " \
		"containerd io.containerd.snapshotter.v1.overlayfs io.containerd.grpc.v1.cri " \
		"io.containerd.runtime.v2.task snapshots sandboxes k8s.io fs diff merged work upper " \
		"lower rootfs subvolumes btrfs vfs zfs dir lxd incus storage-pools default snap snapd " \
		"snaps kubelet pods volumes etc-hosts hosts hostname resolv.conf .containerenv " \
		"secrets kubernetes.io serviceaccount termination-log pts shm mqueue hugepages null " \
		"console ptmx kernel security debug tracing config pstore bpf selinux firmware efi " \
		"efivars binfmt_misc acpi bus irq kcore keys timer_list sched_debug scsi sysrq-trigger " \
		"latency_stats asound interrupts block devices unified systemd memory cpu cpuacct " \
		"cpu,cpuacct blkio pids freezer cpuset net_cls net_prio net_cls,net_prio perf_event " \
		"hugetlb rdma misc lock user wsl wslg drivers distro casper cow cdrom rofs " \
		"filesystem.squashfs lxcfs cpuinfo meminfo stat uptime loadavg swaps diskstats @ " \
		"@home .snapshots fuse connections job host_mark Users virtiofs-mounts @docker @syno " \
		"netns mapper rpc_pipefs nfs ceph self thread-self net boot.img newroot machines incoming " \
		"propagate nspawn host google cros-containers passthrough buildkit executor _data " \
		"machine kubelet.slice kubelet-kubepods.slice buildkit runc-overlayfs vz private", word, " ")
	for (i in word)
		keep[word[i]] = 1
	split("proc sysfs tmpfs devtmpfs devpts overlay none shm mqueue cgroup cgroup2 udev " \
		"hugetlbfs debugfs tracefs configfs fusectl securityfs pstore bpf efivarfs " \
		"binfmt_misc systemd-1 autofs rootfs ramfs lxcfs fuse-overlayfs portal gvfsd-fuse " \
		"rosetta vz-rosetta virtiofs simfs wslfs lxfs - drvfs drvfsa osxfs grpcfuse fakeowner kataShared drivers rpc_pipefs sunrpc nsfs selinuxfs", word, " ")
	for (i in word)
		source_word[word[i]] = 1
	split("mode data errors compress compress-force subvolid space_cache size nr_inodes nr_blocks " \
		"logbufs logbsize sunit swidth vers sec cache fsync index redirect_dir xino metacopy " \
		"userxattr name access trans rfdno wfdno fmask dmask codepage iocharset shortname " \
		"discard commit huge uuid msize proto hard timeo retrans rsize wsize file_mode dir_mode " \
		"ptmxmode pagesize fd pgrp timeout minproto maxproto dax background_gc alloc_mode", \
		word, " ")
	for (i in word)
		option_word[word[i]] = 1
	split("processor #_processors vendor_id cpu_family cpu model Model Hardware uarch machine " \
		"platform model_name stepping flags Features " \
		"CPU_implementer CPU_architecture CPU_variant CPU_part CPU_revision", word, " ")
	for (i in word)
		cpu_field[word[i]] = 1
	split("envID VxID TracerPid Cpus_allowed_list CapInh CapPrm CapEff CapBnd CapAmb NoNewPrivs Seccomp Seccomp_filters", word, " ")
	for (i in word)
		status_field[word[i]] = 1
}

# The same word for the same thing.
function known(kind, value) {
	if (!((kind, value) in alias))
		alias[kind, value] = ++count[kind]
	return alias[kind, value]
}

function hex_digits(value, number,    text) {
	text = sprintf("%x", number)
	while (length(text) < length(value))
		text = "0" text
	return text
}

function is_hex(s) { return length(s) >= 12 && s !~ /[^0-9a-fA-F]/ }
function is_uuid(s) { return s ~ /^[0-9a-fA-F]+-[0-9a-fA-F]+-[0-9a-fA-F]+-[0-9a-fA-F]+-[0-9a-fA-F]+$/ && length(s) == 36 }
function uuid(s) { return "00000000-0000-4000-8000-" hex_digits("000000000000", known("uuid", s)) }

function is_device(s) {
	return s ~ /^(sd[a-z]+|vd[a-z]+|xvd[a-z]+|hd[a-z]+|dasd[a-z]+)[0-9]*$/ ||
		s ~ /^(nvme[0-9]+n[0-9]+|mmcblk[0-9]+|loop[0-9]+|nbd[0-9]+|md[0-9]+|zram[0-9]+|ram[0-9]+|sata[0-9]+|pmem[0-9]+|ploop[0-9]+|rbd[0-9]+|bcache[0-9]+)(p[0-9]+)?$/ ||
		s ~ /^(dm-[0-9]+|sr[0-9]+|root)$/
}

# One name of a path.
function component(s,    prefix, suffix, middle) {
	if (s == "" || s == "." || s == ".." || s in keep || s ~ /^[0-9]+$/ || is_device(s))
		return s
	if (s ~ /^(user-[0-9]+\.slice|user@[0-9]+\.service|session-c?[0-9]+\.scope)$/ ||
		s ~ /^[a-z]+:\[[0-9]+\]$/)
		return s
	if (is_uuid(s))
		return uuid(s)
	if (is_hex(s))
		return hex_digits(s, known("hex", s))
	if (s ~ /^subvol-[0-9]+-disk-[0-9]+$/)
		return s
	# docker-ID.scope, libpod-ID, kubepods-burstable-podUUID.slice
	if (match(s, /^(docker|libpod|libpod-conmon|crio|cri-containerd|nerdctl)-/)) {
		prefix = substr(s, 1, RLENGTH)
		middle = substr(s, RLENGTH + 1)
		suffix = ""
		if (match(middle, /\.[a-z]+$/)) {
			suffix = substr(middle, RSTART)
			middle = substr(middle, 1, RSTART - 1)
		}
		if (is_hex(middle))
			return prefix hex_digits(middle, known("hex", middle)) suffix
	}
	if (match(s, /^((kubelet-)?kubepods-(burstable-|besteffort-)?pod|pod|lxc\.payload\.|machine-)/)) {
		prefix = substr(s, 1, RLENGTH)
		return prefix "name" known("name", s)
	}
	suffix = ""
	if (match(s, /\.(snap|img|raw|qcow2|squashfs|iso|service|scope|slice|mount|socket|libvirt-lxc)$/))
		suffix = substr(s, RSTART)
	return "name" known("name", s) suffix
}

function redact_path(s,    part, n, i, text) {
	n = split(s, part, "/")
	text = component(part[1])
	for (i = 2; i <= n; i++)
		text = text "/" component(part[i])
	return text
}

function address(s) {
	return s ~ /^[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+$/ ? "192.0.2." known("address", s) : \
		"server" known("server", s) ".example"
}

function source(s, type,    at) {
	if (s in source_word || s == type || s == "")
		return s
	if (match(s, /^\/\/[^\/]+/))
		return "//" address(substr(s, 3, RLENGTH - 2)) redact_path(substr(s, RLENGTH + 1))
	at = index(s, ":/")
	if (at > 1 && s !~ /^\//)
		return address(substr(s, 1, at - 1)) ":" redact_path(substr(s, at + 1))
	return redact_path(s)
}

# What stands behind "=" of an option.
function option_value(key, value,    part, n, i, text) {
	if (value ~ /^[0-9]+[kKmMgGtT%]?$/ || key in option_word)
		return value
	if (key ~ /^(addr|clientaddr|mountaddr)$/)
		return address(value)
	if (key ~ /^(lowerdir|upperdir|workdir|subvol|aname|device)\+?$/ || value ~ /\//) {
		n = split(value, part, ":")
		text = redact_path(part[1])
		for (i = 2; i <= n; i++)
			text = text ":" redact_path(part[i])
		return text
	}
	return "name" known("name", value)
}

function options(s,    part, n, i, at, text) {
	n = split(s, part, ",")
	text = ""
	for (i = 1; i <= n; i++) {
		at = index(part[i], "=")
		if (at)
			part[i] = substr(part[i], 1, at) \
				option_value(substr(part[i], 1, at - 1), substr(part[i], at + 1))
		text = text (i > 1 ? "," : "") part[i]
	}
	return text
}

# Fields 4 and 5 are paths; behind " - " stand type, source, options.
function mountinfo(line,    field, n, i, at, rest, text) {
	at = index(line, " - ")
	if (!at)
		return ""
	n = split(substr(line, 1, at - 1), field, "[ ]")
	field[4] = redact_path(field[4])
	field[5] = redact_path(field[5])
	text = field[1]
	for (i = 2; i <= n; i++)
		text = text " " field[i]
	# The source may be empty, and cifs writes blanks into its options.
	n = split(substr(line, at + 3), rest, "[ ]")
	for (i = 4; i <= n; i++)
		rest[3] = rest[3] " " rest[i]
	return text " - " rest[1] " " source(rest[2], rest[1]) " " options(rest[3])
}

# The release as far as it is a distribution's or a product's; a builder's own suffix is dropped.
function release(s) {
	if (s ~ /-(generic|lowlatency|virtual|aws|azure|gcp|oracle|kvm|cloud|amd64|arm64|686-pae|pve|lts|linuxkit|microsoft|Microsoft|gvisor|orbstack|default|arch|raspi|rpi|s390x|ppc64le|riscv64|rt|hwe)/ ||
		s ~ /(amzn|WSL2|\.el[0-9]|\.fc[0-9]|\.x86_64|\.aarch64)/ || s ~ /^[0-9.+]+$/)
		return s
	match(s, /^[0-9.]+/)
	return substr(s, 1, RLENGTH)
}

# "Linux version RELEASE (user@host) (compiler) #1 SMP DATE"
function version(line,    word) {
	split(line, word, " ")
	sub(/^Linux version [^ ]+/, "Linux version " release(word[3]), line)
	sub(/\([^ ()]+@[^ ()]+\)/, "(builder@host)", line)
	return line
}

function command_line(line,    word, n, i, text) {
	n = split(line, word, " ")
	text = ""
	for (i = 1; i <= n; i++)
		if (word[i] ~ /^(pci=off|reboot=k|panic=-?[0-9]+|console=[A-Za-z0-9,]+|quiet|splash|ro|rw|boot=casper|toram|root=\/dev\/[a-z0-9]+|virtio_mmio\.device=[A-Za-z0-9@:]+|systemd\.unit=kata-containers\.target)$/)
			text = text (text == "" ? "" : " ") word[i]
	return text
}

function field_kept(line, fields,    name) {
	name = substr(line, 1, index(line, ":") - 1)
	sub(/[ \t]+$/, "", name)
	gsub(/ /, "_", name)
	return line == "" || name in fields
}

# The line to write; "\001": none.
function redact(name, line) {
	if (name ~ /mountinfo$/)
		return mountinfo(line)
	if (name ~ /^proc\/[^\/]+\/cgroup$/) {
		match(line, /^[^:]*:[^:]*:/)
		return substr(line, 1, RLENGTH) redact_path(substr(line, RLENGTH + 1))
	}
	if (name == "proc/version")
		return version(line)
	if (name ~ /osrelease$/)
		return release(line)
	if (name == "proc/cmdline")
		return command_line(line)
	if (name == "proc/cpuinfo")
		return field_kept(line, cpu_field) ? line : "\001"
	if (name ~ /status$/)
		return field_kept(line, status_field) ? line : "\001"
	if (name == "proc/meminfo")
		return line ~ /^Mem(Total|Available):/ ? line : "\001"
	if (name == "proc/stat")
		return line ~ /^cpu / ? line : "\001"
	if (name == "proc/sysinfo")
		return line ~ /Control Program/ ? line : "\001"
	if (name ~ /asset_tag$/)
		return line ~ /^(7783-7084-3265-9085-8269-3286-77|OracleCloud.com|Amazon EC2|HUAWEICLOUD)$/ ? line : "removed"
	if (name ~ /hypervisor\/uuid$/)
		return line ~ /^ec2/ ? "ec2removed" : "removed"
	if (name ~ /backing_file$/)
		return redact_path(line)
	if (name ~ /\/dm\/name$/)
		return component(line)
	if (name ~ /\/dm\/uuid$/) {
		match(line, /^[A-Za-z0-9]+-?(LUKS[0-9]|VERITY)?/)
		return substr(line, 1, RLENGTH) "-name" known("name", line)
	}
	if (name == "run/.containerenv")
		return line ~ /^engine=/ ? line : "\001"
	if (name ~ /^(\.dockerenv|\.flatpak-info|run\/\.toolboxenv|proc\/vz\/version|proc\/bc\/resources)$/)
		return "\001"
	if (name ~ /partition-name$/)
		return "name" known("name", line)
	return line
}

# Only names of directories that carry an identifier change.
function file_name(name,    end) {
	if (match(name, /^sys\/fs\/cgroup\/.*\//)) {
		end = RLENGTH
		return redact_path(substr(name, 1, end)) substr(name, end + 1)
	}
	if (match(name, /sys\/fs\/btrfs\/[^\/]+/))
		return "sys/fs/btrfs/" uuid(substr(name, 14, RLENGTH - 13)) substr(name, RSTART + RLENGTH)
	return name
}

$1 == "f" {
	file = raw "/" $2
	lines = 0
	while ((getline line < file) > 0) {
		line = redact($2, line)
		if (host != "" && host != "localhost" && length(host) > 3)
			while ((at = index(line, host)))
				line = substr(line, 1, at - 1) "host1" substr(line, at + length(host))
		if (line != "\001")
			text[++lines] = line
	}
	close(file)
	printf "" > file
	for (i = 1; i <= lines; i++)
		print text[i] > file
	close(file)
	print "f", $2, file_name($2)
}

$1 == "l" { print "l", file_name($2), $3 }

END { print "q", redact_path(path) }
