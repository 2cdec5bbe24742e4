// SPDX-License-Identifier: GPL-2.0-or-later
/* Every kind of block device and filesystem that a probe knows, on small made-up machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stack_case.h"

struct disk_row {
	const char *name, *number, *vendor, *model;
	const char *stack;   /* beneath ext4 */
	const char *beneath; /* the last layer's name; NULL: any */
};

static const struct disk_row disk_rows[] = {
	{ "sda", "8:0", "ATA", "Samsung SSD 870", "disk:sda", NULL },
	{ "sda", "8:0", "HPE", "LOGICAL VOLUME", "disk:sda", NULL },
	{ "hda", "3:0", NULL, NULL, "disk:hda", NULL },
	{ "vda", "254:0", "0x1af4", NULL, "disk:vda hidden", "what the host serves the disk from" },
	{ "xvda", "202:0", NULL, NULL, "disk:xvda hidden", "virtual disk of Xen" },
	{ "mmcblk0", "179:0", NULL, NULL, "disk:mmcblk0", NULL },
	{ "dasda", "94:0", NULL, NULL, "disk:dasda", NULL },
	{ "pmem0", "259:0", NULL, NULL, "disk:pmem0", NULL },
	{ "mtdblock3", "31:3", NULL, NULL, "disk:mtdblock3", NULL },
	{ "nvme0n1", "259:0", NULL, "Samsung SSD 980", "disk:nvme0n1", NULL },
	{ "nvme0n1", "259:0", NULL, "Amazon Elastic Block Store", "disk:nvme0n1 cloud",
		"Amazon EBS (network storage)" },
	{ "nvme0n1", "259:0", NULL, "Amazon EC2 NVMe Instance Storage", "disk:nvme0n1 cloud",
		"EC2 instance store (lost on stop)" },
	{ "nvme0n1", "259:0", NULL, "nvme_card-pd", "disk:nvme0n1 cloud",
		"Google Persistent Disk" },
	{ "nvme0n1", "259:0", NULL, "nvme_card", "disk:nvme0n1 cloud",
		"Google local SSD (lost on stop)" },
	{ "nvme0n1", "259:0", NULL, "MSFT NVMe Accelerator v1.0", "disk:nvme0n1 cloud",
		"Azure disk" },
	{ "nvme0n1", "259:0", NULL, "Alibaba Cloud Elastic Block Storage", "disk:nvme0n1 cloud",
		"Alibaba Cloud disk (network storage)" },
	{ "nvme0n1", "259:0", NULL, "QEMU NVMe Ctrl", "disk:nvme0n1 hidden",
		"what QEMU serves the disk from" },
	{ "nvme0n1", "259:0", NULL, "VMware Virtual NVMe Disk", "disk:nvme0n1 hidden",
		"virtual disk of VMware" },
	{ "sda", "8:0", "Google", "PersistentDisk", "disk:sda cloud", "Google Persistent Disk" },
	{ "sda", "8:0", "Google", "EphemeralDisk", "disk:sda cloud",
		"Google local SSD (lost on stop)" },
	{ "sda", "8:0", "ORACLE", "BlockVolume", "disk:sda cloud", "Oracle Cloud block volume" },
	{ "sda", "8:0", "DO", "Volume", "disk:sda cloud", "DigitalOcean volume" },
	{ "sda", "8:0", "HC", "Volume", "disk:sda cloud", "Hetzner volume" },
	{ "sda", "8:0", "Linode", "Volume", "disk:sda cloud", "Linode volume" },
	{ "sda", "8:0", "SCW", "b_ssd", "disk:sda cloud", "Scaleway block storage" },
	{ "sda", "8:0", "Msft", "Virtual Disk", "disk:sda hidden", "virtual disk of Hyper-V" },
	{ "sda", "8:0", "QEMU", "QEMU HARDDISK", "disk:sda hidden",
		"what QEMU serves the disk from" },
	{ "sda", "8:0", "ATA", "VBOX HARDDISK", "disk:sda hidden", "disk image of VirtualBox" },
	{ "sda", "8:0", "VMware", "Virtual disk", "disk:sda hidden", "virtual disk of VMware" },
	{ "sda", "8:0", "VMware,", "VMware Virtual S", "disk:sda hidden",
		"virtual disk of VMware" },
	{ "sda", "8:0", "ATA", "BHYVE SATA DISK", "disk:sda hidden", "disk image of bhyve" },
	{ "sda", "8:0", "LIO-ORG", "disk1", "disk:sda hidden", "SCSI target of Linux" },
	{ "nbd0", "43:0", NULL, NULL, "disk:nbd0 remote", "NBD server" },
	{ "rbd0", "252:0", NULL, NULL, "disk:rbd0 remote", "Ceph cluster" },
	{ "drbd0", "147:0", NULL, NULL, "disk:drbd0 remote", "peer of the DRBD resource" },
	{ "ublkb0", "259:0", NULL, NULL, "disk:ublkb0 remote", "ublk server process" },
	{ "zram0", "252:0", NULL, NULL, "memory", NULL },
	{ "ram0", "1:0", NULL, NULL, "memory", NULL },
	{ "nullb0", "252:0", NULL, NULL, "memory", NULL },
	{ "zd0", "230:0", NULL, NULL, "dataset:zd0 hidden", "devices of a ZFS pool" },
	{ "frob0", "240:0", NULL, NULL, "unknown:frob0 hidden", NULL },
};

static void test_every_family_of_disks_ends_where_it_should(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(disk_rows); i++) {
		const struct disk_row *row = &disk_rows[i];
		_cleanup_free_ char *wanted = xasprintf("fs:ext4 %s", row->stack);
		void *fresh;
		struct stack_case *c;

		assert_int_equal(stack_case_setup(&fresh), 0);
		c = fresh;
		print_message("%s %s\n", row->name, row->model ? row->model : "");
		stack_case_disk(c, row->name, row->number);
		if (row->vendor)
			stack_case_attribute(c, row->name, "device/vendor", row->vendor);
		if (row->model)
			stack_case_attribute(c, row->name, "device/model", row->model);
		stack_case_mount(c, row->number, "ext4 /dev/root rw");
		stack_case_check(c, wanted);
		if (row->beneath)
			assert_string_equal(c->stack.layer[c->stack.count - 1].name, row->beneath);
		stack_case_teardown(&fresh);
	}
}

struct far_row {
	const char *rest, *stack;
};

static const struct far_row far_rows[] = {
	{ "nfs 192.0.2.1:/a rw,vers=3", "fs:nfs remote hidden" },
	{ "nfs4 192.0.2.1:/a rw", "fs:nfs4 remote hidden" },
	{ "cifs //server/share rw", "fs:cifs remote hidden" },
	{ "smb3 //server/share rw", "fs:smb3 remote hidden" },
	{ "9p C:\\134 rw,aname=drvfs;path=C:\\134;uid=1000,trans=fd", "fs:9p share hidden" },
	{ "9p mount0 rw,trans=virtio", "fs:9p share hidden" },
	{ "9p none rw,trans=fd,rfdno=4,wfdno=4", "fs:9p hidden" },
	{ "virtiofs mount0 rw", "fs:virtiofs share hidden" },
	{ "ceph 192.0.2.1:6789:/ rw", "fs:ceph remote hidden" },
	{ "lustre 192.0.2.1@tcp:/l rw", "fs:lustre remote hidden" },
	{ "gpfs gpfs0 rw", "fs:gpfs remote hidden" },
	{ "beegfs beegfs_nodev rw", "fs:beegfs remote hidden" },
	{ "afs #root.cell rw", "fs:afs remote hidden" },
	{ "fuse.glusterfs s1:/v rw", "fuse:glusterfs remote hidden" },
	{ "fuse.sshfs u@h:/ rw", "fuse:sshfs remote hidden" },
	{ "fuse.s3fs s3fs rw", "fuse:s3fs remote hidden" },
	{ "fuse.osxfs osxfs rw", "fuse:osxfs share hidden" },
	{ "fuse.grpcfuse grpcfuse rw", "fuse:grpcfuse share hidden" },
	{ "fuse.vmhgfs-fuse vmhgfs-fuse rw", "fuse:vmhgfs-fuse share hidden" },
	{ "fakeowner /run/host_mark/Users rw", "fs:fakeowner share hidden" },
	{ "vboxsf vagrant rw", "fs:vboxsf share hidden" },
	{ "prl_fs home rw", "fs:prl_fs share hidden" },
	{ "vmhgfs .host:/ rw", "fs:vmhgfs share hidden" },
	{ "autofs /etc/auto.home rw,fd=7", "fs:autofs hidden" },
	{ "tmpfs tmpfs rw", "fs:tmpfs memory" },
	{ "ramfs none rw", "fs:ramfs memory" },
	{ "zfs pool/data rw", "fs:zfs dataset:pool/data pool:pool hidden" },
	{ "ubifs ubi0:root rw", "fs:ubifs hidden" },
	{ "jffs2 /dev/mtdblock4 rw", "fs:jffs2 hidden" },
	{ "ecryptfs /home/.private rw", "fs:ecryptfs hidden*" },
	{ "unionfs none rw", "fs:unionfs hidden*" },
	{ "bcachefs /dev/gone1:/dev/gone2 rw", "fs:bcachefs hidden hidden" },
	{ "btrfs /dev/gone rw", "fs:btrfs hidden" },
	{ "squashfs /dev/gone ro", "fs:squashfs hidden" },
	{ "wholly_new something rw", "unknown:wholly_new hidden" },
};

static void test_filesystems_without_a_device_say_what_serves_them(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(far_rows); i++) {
		print_message("%s\n", far_rows[i].rest);
		stack_case_mount(*state, "0:40", far_rows[i].rest);
		stack_case_check(*state, far_rows[i].stack);
	}
}

static void test_filesystems_on_a_device_lead_to_it(void **state)
{
	static const char *const types[] = { "ext2", "ext3", "ext4", "xfs", "f2fs", "jfs", "nilfs2",
		"reiserfs", "gfs2", "ocfs2", "squashfs", "erofs", "vfat", "exfat", "ntfs3",
		"iso9660", "udf", "hfsplus" };
	struct stack_case *c = *state;

	stack_case_disk(c, "sda", "8:0");
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		_cleanup_free_ char *rest = xasprintf("%s /dev/sda rw", types[i]);
		_cleanup_free_ char *wanted = xasprintf("fs:%s disk:sda", types[i]);

		stack_case_mount(c, "8:0", rest);
		stack_case_check(c, wanted);
	}
}

static void test_erofs_of_a_file_leads_to_the_files_filesystem(void **state)
{
	struct stack_case *c = *state;

	stack_case_disk(c, "sda", "8:0");
	stack_case_probe(c,
		"1 0 8:0 / / rw - ext4 /dev/sda rw\n"
		"2 1 0:50 / /img ro - erofs /srv/a.erofs ro\n",
		"/img/x");
	stack_case_check(c, "fs:erofs file:/srv/a.erofs fs:ext4* disk:sda*");
}

static void test_bcachefs_shows_all_its_devices(void **state)
{
	struct stack_case *c = *state;

	stack_case_disk(c, "sda", "8:0");
	stack_case_disk(c, "sdb", "8:16");
	stack_case_mount(c, "0:40", "bcachefs /dev/sda:/dev/sdb rw");
	stack_case_check(c, "fs:bcachefs disk:sda disk:sdb");
}

static void test_only_btrfs_is_found_whatever_its_source_is_called(void **state)
{
	struct stack_case *c = *state;

	stack_case_disk(c, "sda", "8:0");
	stack_case_disk(c, "sdb", "8:16");
	synthetic_link(&c->machine, "sys/fs/btrfs/aa/devices/sda", "../../../../block/sda");
	synthetic_link(&c->machine, "sys/fs/btrfs/aa/devices/sdb", "../../../../block/sdb");
	synthetic_file(&c->machine, "sys/fs/btrfs/features/raid56", "0");
	stack_case_mount(c, "0:40", "btrfs /dev/root rw,subvolid=5,subvol=/");
	stack_case_check(c, "fs:btrfs disk:sda disk:sdb");
	synthetic_link(&c->machine, "sys/fs/btrfs/bb/devices/sdb", "../../../../block/sdb");
	stack_case_mount(c, "0:40", "btrfs /dev/root rw,subvolid=5,subvol=/");
	stack_case_check(c, "fs:btrfs hidden");
}

static void test_stacked_filesystems_lead_to_their_directories(void **state)
{
	static const char below[] = "1 0 8:0 / / rw - ext4 /dev/sda rw\n";
	struct stack_case *c = *state;
	_cleanup_free_ char *crypt =
		xasprintf("%s2 1 0:9 / /p rw - ecryptfs /home/.private rw\n", below);
	_cleanup_free_ char *aufs = xasprintf("%s2 1 0:9 / /p rw - aufs none rw,si=4f\n", below);
	_cleanup_free_ char *union_line =
		xasprintf("%s2 1 0:9 / /p rw - unionfs none rw,dirs=/a=rw:/b=ro\n", below);

	stack_case_disk(c, "sda", "8:0");
	stack_case_probe(c, crypt, "/p/x");
	stack_case_check(c, "fs:ecryptfs fs:ext4* disk:sda*");
	synthetic_file(&c->machine, "sys/fs/aufs/si_4f/br0", "/rw=rw\n");
	synthetic_file(&c->machine, "sys/fs/aufs/si_4f/br1", "/ro=rr\n");
	stack_case_probe(c, aufs, "/p/x");
	stack_case_check(c, "fs:aufs fs:ext4* disk:sda*");
	stack_case_probe(c, union_line, "/p/x");
	stack_case_check(c, "fs:unionfs fs:ext4* disk:sda*");
}

static void test_drbd_stands_on_its_disk_and_its_peer(void **state)
{
	struct stack_case *c = *state;

	stack_case_disk(c, "sda", "8:0");
	stack_case_disk(c, "drbd0", "147:0");
	stack_case_slave(c, "drbd0", "sda");
	stack_case_mount(c, "147:0", "ext4 /dev/drbd0 rw");
	stack_case_check(c, "fs:ext4 disk:drbd0 disk:sda remote");
}

static void test_md_levels_are_named_and_faulty_is_no_device_to_measure(void **state)
{
	static const char *const levels[] = { "linear", "raid0", "raid1", "raid4", "raid5", "raid6",
		"raid10", "faulty" };
	struct stack_case *c = *state;

	stack_case_disk(c, "sda", "8:0");
	stack_case_disk(c, "md0", "9:0");
	stack_case_slave(c, "md0", "sda");
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++) {
		_cleanup_free_ char *wanted = xasprintf("fs:ext4 md:md0(%s) disk:sda", levels[i]);

		stack_case_attribute(c, "md0", "md/level", levels[i]);
		stack_case_mount(c, "9:0", "ext4 /dev/md0 rw");
		stack_case_check(c, wanted);
		assert_int_equal(layer_trait(&c->stack.layer[1], TRAIT_ALTERS_IO),
			strcmp(levels[i], "faulty") == 0 ? ANSWER_YES : ANSWER_UNKNOWN);
	}
}

static void test_bcache_with_its_cache_off_caches_no_reads(void **state)
{
	struct stack_case *c = *state;

	stack_case_disk(c, "sda", "8:0");
	stack_case_disk(c, "bcache0", "252:0");
	stack_case_slave(c, "bcache0", "sda");
	stack_case_attribute(
		c, "bcache0", "bcache/cache_mode", "writethrough [writeback] writearound none\n");
	stack_case_mount(c, "252:0", "ext4 /dev/bcache0 rw");
	stack_case_check(c, "fs:ext4 bcache:bcache0 disk:sda");
	assert_int_equal(layer_trait(&c->stack.layer[1], TRAIT_CACHES_READS), ANSWER_YES);
	stack_case_attribute(
		c, "bcache0", "bcache/cache_mode", "writethrough writeback writearound [none]\n");
	stack_case_mount(c, "252:0", "ext4 /dev/bcache0 rw");
	assert_int_equal(layer_trait(&c->stack.layer[1], TRAIT_CACHES_READS), ANSWER_NO);
}

static void test_pmem_of_ordinary_memory_or_of_the_host_says_so(void **state)
{
	struct stack_case *c = *state;

	stack_case_disk(c, "pmem0", "259:0");
	synthetic_file(&c->machine, "sys/bus/nd/devices/ndbus0/provider", "e820\n");
	stack_case_mount(c, "259:0", "ext4 /dev/pmem0 rw,dax=always");
	stack_case_check(c, "fs:ext4 disk:pmem0");
	assert_int_equal(layer_trait(&c->stack.layer[0], TRAIT_DAX), ANSWER_YES);
	assert_int_equal(layer_trait(&c->stack.layer[1], TRAIT_IN_MEMORY), ANSWER_YES);
	synthetic_file(&c->machine, "sys/bus/nd/devices/ndbus0/provider", "virtio-pmem\n");
	stack_case_mount(c, "259:0", "ext4 /dev/pmem0 rw");
	stack_case_check(c, "fs:ext4 disk:pmem0 hidden");
	synthetic_file(&c->machine, "sys/bus/nd/devices/ndbus0/provider", "ACPI.NFIT\n");
	stack_case_mount(c, "259:0", "ext4 /dev/pmem0 rw");
	stack_case_check(c, "fs:ext4 disk:pmem0");
	assert_int_equal(layer_trait(&c->stack.layer[1], TRAIT_IN_MEMORY), ANSWER_UNKNOWN);
}

static void test_session_and_fabric_below_a_disk_are_another_machine(void **state)
{
	struct stack_case *c = *state;

	stack_case_disk(c, "sdb", "8:16");
	synthetic_link(&c->machine, "sys/block/sdb/device", "../../bus/scsi/devices/3:0:0:1");
	synthetic_file(&c->machine, "sys/bus/scsi/devices/3:0:0:1/vendor", "LIO-ORG\n");
	synthetic_file(&c->machine, "sys/class/iscsi_host/host3/ipaddress", "192.0.2.1\n");
	synthetic_file(&c->machine, "sys/class/iscsi_session/session1/targetname", "iqn.a:b\n");
	stack_case_mount(c, "8:16", "ext4 /dev/sdb rw");
	stack_case_check(c, "fs:ext4 disk:sdb remote");
	assert_string_equal(c->stack.layer[2].name, "iSCSI target iqn.a:b");
	stack_case_disk(c, "nvme0n1", "259:0");
	stack_case_attribute(c, "nvme0n1", "device/transport", "pcie\n");
	stack_case_mount(c, "259:0", "ext4 /dev/nvme0n1 rw");
	stack_case_check(c, "fs:ext4 disk:nvme0n1");
	stack_case_disk(c, "nvme1n1", "259:1");
	stack_case_attribute(c, "nvme1n1", "device/nvme1/transport", "rdma\n");
	stack_case_mount(c, "259:1", "ext4 /dev/nvme1n1 rw");
	stack_case_check(c, "fs:ext4 disk:nvme1n1 remote");
}

static void test_disk_of_a_known_cloud_by_the_machine_it_is_in(void **state)
{
	struct stack_case *c = *state;

	stack_case_disk(c, "xvda", "202:0");
	synthetic_file(
		&c->machine, "sys/hypervisor/uuid", "ec2e1916-9099-7caf-fd21-012345abcdef\n");
	stack_case_mount(c, "202:0", "ext4 /dev/xvda rw");
	stack_case_check(c, "fs:ext4 disk:xvda cloud");
	stack_case_disk(c, "vda", "254:0");
	synthetic_link(&c->machine, "sys/block/vda/device/driver", "../../bus/virtio_blk");
	synthetic_file(&c->machine, "sys/class/dmi/id/sys_vendor", "DigitalOcean\n");
	stack_case_mount(c, "254:0", "ext4 /dev/vda rw");
	stack_case_check(c, "fs:ext4 disk:vda cloud");
}

struct option_row {
	const char *rest;
	enum trait_id trait;
	enum answer answer;
};

static const struct option_row option_rows[] = {
	{ "ext4 /dev/sda rw,nobarrier", TRAIT_PASSES_FLUSH, ANSWER_NO },
	{ "ext4 /dev/sda rw,barrier=1", TRAIT_PASSES_FLUSH, ANSWER_UNKNOWN },
	{ "reiserfs /dev/sda rw,barrier=none", TRAIT_PASSES_FLUSH, ANSWER_NO },
	{ "f2fs /dev/sda rw,fsync_mode=nobarrier", TRAIT_PASSES_FLUSH, ANSWER_NO },
	{ "f2fs /dev/sda rw,fsync_mode=posix", TRAIT_PASSES_FLUSH, ANSWER_UNKNOWN },
	{ "cifs //s/x rw,nostrictsync", TRAIT_PASSES_FLUSH, ANSWER_NO },
	{ "ext4 /dev/sda rw,data=journal", TRAIT_HONOURS_DIRECT, ANSWER_NO },
	{ "ext4 /dev/sda rw,data=ordered", TRAIT_HONOURS_DIRECT, ANSWER_UNKNOWN },
	{ "ext4 /dev/sda rw,sync", TRAIT_SYNC_WRITES, ANSWER_YES },
	{ "ext4 /dev/sda rw,dirsync", TRAIT_SYNC_NAMES, ANSWER_YES },
	{ "ext4 /dev/sda rw,dirsync", TRAIT_SYNC_WRITES, ANSWER_UNKNOWN },
	{ "xfs /dev/sda rw,lazytime", TRAIT_LAZY_TIMES, ANSWER_YES },
	{ "xfs /dev/sda rw,discard", TRAIT_DISCARDS, ANSWER_YES },
	{ "btrfs /dev/sda rw,discard=async", TRAIT_DISCARDS, ANSWER_YES },
	{ "f2fs /dev/sda rw,nodiscard", TRAIT_DISCARDS, ANSWER_NO },
	{ "btrfs /dev/sda rw,compress=zstd:3", TRAIT_ELIDES_DATA, ANSWER_YES },
	{ "btrfs /dev/sda rw,compress-force=lzo", TRAIT_ELIDES_DATA, ANSWER_YES },
	{ "btrfs /dev/sda rw,compress=none", TRAIT_ELIDES_DATA, ANSWER_NO },
	{ "btrfs /dev/sda rw,nodatacow", TRAIT_COPY_ON_WRITE, ANSWER_NO },
	{ "btrfs /dev/sda rw,nodatacow", TRAIT_CHECKSUMS, ANSWER_NO },
	{ "btrfs /dev/sda rw,nodatasum", TRAIT_CHECKSUMS, ANSWER_NO },
	{ "xfs /dev/sda rw,dax=always", TRAIT_DAX, ANSWER_YES },
	{ "xfs /dev/sda rw,dax", TRAIT_DAX, ANSWER_YES },
	{ "xfs /dev/sda rw,dax=inode", TRAIT_DAX, ANSWER_UNKNOWN },
	{ "jfs /dev/sda rw,nointegrity", TRAIT_NO_JOURNAL, ANSWER_YES },
	{ "bcachefs /dev/sda rw,compression=lz4", TRAIT_ELIDES_DATA, ANSWER_YES },
	{ "squashfs /dev/sda ro", TRAIT_ELIDES_DATA, ANSWER_YES },
	{ "ubifs ubi0:x rw", TRAIT_ELIDES_DATA, ANSWER_YES },
	{ "ubifs ubi0:x rw,compr=none", TRAIT_ELIDES_DATA, ANSWER_NO },
	{ "nfs4 s:/x rw,fsc", TRAIT_CACHES_READS, ANSWER_YES },
	{ "overlay o rw,lowerdir=/a,upperdir=/b,volatile", TRAIT_PASSES_FLUSH, ANSWER_NO },
};

static void test_mount_options_that_matter_are_traits(void **state)
{
	struct stack_case *c = *state;

	stack_case_disk(c, "sda", "8:0");
	for (size_t i = 0; i < ARRAY_SIZE(option_rows); i++) {
		const struct option_row *row = &option_rows[i];

		print_message("%s\n", row->rest);
		stack_case_mount(c, "8:0", row->rest);
		assert_int_equal(layer_trait(&c->stack.layer[0], row->trait), row->answer);
	}
}

int main(void)
{
#define WITH(test) cmocka_unit_test_setup_teardown(test, stack_case_setup, stack_case_teardown)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_family_of_disks_ends_where_it_should),
		WITH(test_filesystems_without_a_device_say_what_serves_them),
		WITH(test_filesystems_on_a_device_lead_to_it),
		WITH(test_erofs_of_a_file_leads_to_the_files_filesystem),
		WITH(test_bcachefs_shows_all_its_devices),
		WITH(test_only_btrfs_is_found_whatever_its_source_is_called),
		WITH(test_stacked_filesystems_lead_to_their_directories),
		WITH(test_drbd_stands_on_its_disk_and_its_peer),
		WITH(test_md_levels_are_named_and_faulty_is_no_device_to_measure),
		WITH(test_bcache_with_its_cache_off_caches_no_reads),
		WITH(test_pmem_of_ordinary_memory_or_of_the_host_says_so),
		WITH(test_session_and_fabric_below_a_disk_are_another_machine),
		WITH(test_disk_of_a_known_cloud_by_the_machine_it_is_in),
		WITH(test_mount_options_that_matter_are_traits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
