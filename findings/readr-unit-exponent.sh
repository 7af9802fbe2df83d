#!/usr/bin/env bash
# readr 2.1.4 of Debian 12 (R's read_csv) guesses that 1D2 is a number, with the D of Fortran for an exponent: apartments 1D2, 2D1 and 3D0 are 100, 20 and
# 3, and written so. One unit of another form in the column, such as 4B, and all stay texts. It keeps ZIP codes with a zero, and takes the + from
# phones. R's own read.csv and data.table 1.14.8 keep the units, and turn 02134 into 2134. col_types = cols(.default = "c") keeps everything.
set -eu
for package in r-cran-readr r-cran-data.table; do dpkg -s "$package" >/dev/null 2>&1 || { echo 'apt-get install r-cran-readr r-cran-data.table'; exit 1; }; done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf 'unit,zip,phone\n1D2,02134,+19105550147\n2D1,02135,+19105550148\n3D0,02136,+19105550149\n' >"$folder/orders.csv"
seen=$(Rscript --vanilla - "$folder/orders.csv" <<'R'
path <- commandArgs(trailingOnly = TRUE)[1]
suppressMessages({ library(readr); library(data.table) })
say <- function(name, sheet) cat(name, ': ', paste(format(sheet$unit), collapse = ' '), ', ', format(sheet$zip[1]), ', ', format(sheet$phone[1], digits = 15), '\n', sep = '')
say('readr', suppressMessages(read_csv(path)))
say('readr, all texts', read_csv(path, col_types = cols(.default = 'c')))
say('read.csv', read.csv(path))
say('data.table', fread(path))
R
)
dpkg-query -W r-cran-readr r-cran-data.table; echo "$seen"
[ "$seen" = 'readr: 100  20   3, 02134, 19105550147
readr, all texts: 1D2 2D1 3D0, 02134, +19105550147
read.csv: 1D2 2D1 3D0, 2134, 19105550147
data.table: 1D2 2D1 3D0, 2134, 19105550147' ]
