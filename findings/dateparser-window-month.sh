#!/usr/bin/env bash
# dateparser 1.1.6 of Debian 12 (Python) reads the window "11/30/2026 5-7 PM" as 11 May 2026, 7 PM: what does not fit together is read as month 5 and a
# rest, and "Mon 5-7pm" is a day in May. It knows "5 PM ET" and nothing for CT, MT and PT: a sheet of one shop is read, and that of the next is
# None in each row; CST and PST are known. Whoever takes None for "as soon as possible" sends at once.
set -eu
dpkg -s python3-dateparser >/dev/null 2>&1 || { echo 'apt-get install python3-dateparser'; exit 1; }
seen=$(/usr/bin/python3 -W ignore - <<'PY'
import datetime
import dateparser
settings = {'RELATIVE_BASE': datetime.datetime(2026, 11, 29, 9, 0)}
for text in ['11/30/2026 7 PM', '11/30/2026 5-7 PM', 'Mon 5-7pm', '11/30/2026 5 PM ET', '11/30/2026 5 PM CT', '11/30/2026 5 PM CST']:
    print(f'{text}: {dateparser.parse(text, settings=settings)}')
PY
)
dpkg-query -W python3-dateparser; echo "$seen"
[ "$seen" = '11/30/2026 7 PM: 2026-11-30 19:00:00
11/30/2026 5-7 PM: 2026-05-11 19:00:00
Mon 5-7pm: 2026-05-29 19:00:00
11/30/2026 5 PM ET: 2026-11-30 17:00:00-05:00
11/30/2026 5 PM CT: None
11/30/2026 5 PM CST: 2026-11-30 17:00:00-06:00' ]
