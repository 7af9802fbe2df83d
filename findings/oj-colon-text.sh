#!/usr/bin/env bash
# Oj 3.14.2 of Debian 12 (ruby-oj) in its default mode, of Ruby objects: a text of JSON that begins with a colon is a Symbol without it. The note ":leave at the
# door" of an order is the Symbol "leave at the door": it equals no text, and has no include?. A hash whose names are symbols, as Ruby writes
# them, goes out with ":status". mode: :strict reads, and :compat reads and writes, as Ruby's own json does.
set -eu
dpkg -s ruby-oj >/dev/null 2>&1 || { echo 'apt-get install ruby-oj'; exit 1; }
seen=$(ruby - <<'RUBY'
require 'json'
require 'oj'
text = '{"dropoff":{"notes":":leave at the door"}}'
say = ->(name, notes) { puts "#{name}: #{notes.class} #{notes}" }
say.call('Oj', Oj.load(text)['dropoff']['notes'])
%i[strict compat].each { |mode| say.call("Oj, #{mode}", Oj.load(text, mode: mode)['dropoff']['notes']) }
say.call('json', JSON.parse(text)['dropoff']['notes'])
puts "Oj: #{Oj.dump({ status: 'delivered' })}, compat: #{Oj.dump({ status: 'delivered' }, mode: :compat)}"
RUBY
)
dpkg-query -W ruby-oj; echo "$seen"
[ "$seen" = 'Oj: Symbol leave at the door
Oj, strict: String :leave at the door
Oj, compat: String :leave at the door
json: String :leave at the door
Oj: {":status":"delivered"}, compat: {"status":"delivered"}' ]
