# Installs the Debian package, without the system-wide server that it would otherwise create and start.
export DEBIAN_FRONTEND=noninteractive UCF_FORCE_CONFFOLD=1

conf=/etc/postgresql-common/createcluster.conf
if ! grep -qs '^ *create_main_cluster' "$conf"; then
    mkdir -p "${conf%/*}"
    {
        echo '# Set by the tests of Stepwell, which bring up a server of their own and want no other one started.'
        echo 'create_main_cluster = false'
    } >>"$conf"
fi

# Old lists may still do, so a mirror that is down does not end it here.
apt-get -o DPkg::Lock::Timeout=300 update || echo 'apt-get update failed; going on with the lists at hand'
apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends postgresql
