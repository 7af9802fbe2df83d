#!/usr/bin/env bash
# csvkit 1.0.7 of Debian 12, as it comes (csvsort, csvjson, csvjoin, in2csv): a column of times such as 17:30 is one of durations, and printed as
# 0:17:30, seventeen minutes; references such as 2026_001 are whole numbers, since Python reads an underscore between digits as nothing, so
# that 20_261 and 2026_1 are one order for a join. The option -I leaves all as it is. Miller 6.6 sorts the same file and changes nothing.
set -eu
for program in csvsort mlr; do command -v "$program" >/dev/null || { echo 'apt-get install csvkit miller'; exit 1; }; done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf 'order,deliver\n20_261,17:30\n2026_1,18:00\n' >"$folder/orders.csv"
printf 'order,name\n2026_1,Dana\n' >"$folder/names.csv"
seen=$(cd "$folder"
  echo csvsort:; csvsort -c deliver orders.csv
  echo csvjoin:; csvjoin -c order orders.csv names.csv
  echo csvsort -I:; csvsort -I -c deliver orders.csv
  echo mlr:; mlr --csv sort -f deliver orders.csv)
dpkg-query -W csvkit miller; echo "$seen"
[ "$seen" = 'csvsort:
order,deliver
20261,0:17:30
20261,0:18:00
csvjoin:
order,deliver,name
20261,0:17:30,Dana
20261,0:18:00,Dana
csvsort -I:
order,deliver
20_261,17:30
2026_1,18:00
mlr:
order,deliver
20_261,17:30
2026_1,18:00' ]
