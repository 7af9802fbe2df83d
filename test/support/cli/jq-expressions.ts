/**
 * Expressions, the JSON that each is run on, and the lines that jq 1.7.1 prints (`jq -rc`), as the native program gives
 * them.
 */
export type JqCase = readonly [expression: string, input: string, ...lines: string[]]

const order =
  '{"deliveryId":"del_1","status":"delivered","zone":null,"pricing":{"totalPriceCents":1200,"tip":0},"tags":["a","b"],"ok":true}'
const list =
  '[{"id":"del_1","status":"delivered","cents":1200,"tags":["a","b"]},{"id":"del_2","status":"failed","cents":800,"tags":[]},{"id":"del_3","status":"delivered","cents":950,"tags":["b"]}]'
const deliveries =
  '[{"deliveryId":"del_1","status":"delivered","pricing":{"totalPriceCents":1200},"tags":["a","b"]},{"deliveryId":"del_2","status":"failed","pricing":{"totalPriceCents":800},"tags":[]}]'

export const jqCases: readonly JqCase[] = [
  [
    '.',
    deliveries,
    '[{"deliveryId":"del_1","status":"delivered","pricing":{"totalPriceCents":1200},"tags":["a","b"]},{"deliveryId":"del_2","status":"failed","pricing":{"totalPriceCents":800},"tags":[]}]',
  ],
  ['map(select(.pricing.totalPriceCents > 1000)) | length', deliveries, '1'],
  ['any(.status == "failed"), all(.status == "failed")', deliveries, 'true', 'false'],
  ['{a: (.[0].status), b: length}', deliveries, '{"a":"delivered","b":2}'],
  ['.[]', '[1,"two",[3],{"four":4},null]', '1', 'two', '[3]', '{"four":4}', 'null'],
  ['.[2:4]', '[0,1,2,3,4,5]', '[2,3]'],
  ['.a?, .b?, "end"', '"text"', 'end'],
  ['[.. | numbers]', '{"a":[1,{"b":2}],"c":"3"}', '[1,2]'],
  ['.zone // .status', order, 'delivered'],
  ['sort_by(.status, -.cents)[0].id', list, 'del_1'],
  ['with_entries(.value += 1)', '{"b":1,"a":2}', '{"b":2,"a":3}'],
  ['keys, keys_unsorted', '{"b":1,"a":2}', '["a","b"]', '["b","a"]'],
  ['paths', '{"a":[1,{"b":2}]}', '["a"]', '["a",0]', '["a",1]', '["a",1,"b"]'],
  ['del(.a, .b[0])', '{"a":1,"b":[1,2],"c":3}', '{"b":[2],"c":3}'],
  ['pick(.a, .b.c)', '{"a":1,"b":{"c":2,"d":3}}', '{"a":1,"b":{"c":2}}'],
  ['walk(if type == "number" then . + 1 else . end)', '[1,{"a":2}]', '[2,{"a":3}]'],
  ['.a //= 5 | .b //= 6', '{"b":1}', '{"b":1,"a":5}'],
  ['(.[] | select(. > 1)) |= empty', '[1,2,3]', '[1]'],
  ['. as [$a, {b: $c}] | "\\($a) \\($c)"', '[1,{"b":2}]', '1 2'],
  ['.[] as [$a] ?// $a | [$a]', '[[1],2]', '[1]', '[2]'],
  ['reduce .[] as $x (0; . + $x)', '[1,2,3]', '6'],
  ['def fac: if . <= 1 then 1 else . * (. - 1 | fac) end; fac', '10', '3628800'],
  ['[limit(3; range(100))], first(range(5; 9)), nth(2; range(9))', 'null', '[0,1,2]', '5', '2'],
  ['[label $out | .[] | if . > 2 then break $out else . end]', '[1,2,3,1]', '[1,2]'],
  ['if . < 1 then "none" elif . < 3 then "few" else "many" end', '2', 'few'],
  ['[.[] | try error("\\(.)!") catch .]', '[1,null]', '["1!","null!"]'],
  ['$__loc__', 'null', '{"file":"<top-level>","line":1}'],
  ['[inputs]', '1', '[]'],
  ['first(inputs), "none"', '1', 'none'],
  ['"\\(.status): \\(.pricing.totalPriceCents / 100)"', order, 'delivered: 12'],
  ['[.deliveryId, .status, .ok, .zone] | @tsv', order, 'del_1\tdelivered\ttrue\t'],
  ['[.deliveryId, "a \\"b\\"", 1.5, null] | @csv', order, '"del_1","a ""b""",1.5,'],
  ['["tab\\tline\\nback\\\\"] | @tsv', 'null', 'tab\\tline\\nback\\\\'],
  ['@html "<b>\\(.)</b>"', `"<&'\\">"`, '<b>&lt;&amp;&apos;&quot;&gt;</b>'],
  ['@uri', '"a b/ü?"', 'a%20b%2F%C3%BC%3F'],
  ['@base64, (@base64 | @base64d)', '"jq ünd so"', 'anEgw7xuZCBzbw==', 'jq ünd so'],
  ['@sh "rm \\(.)"', '["a b","c"]', `rm 'a b' 'c'`],
  ['capture("(?<year>\\\\d+)-(?<month>\\\\d+)")', '"2026-03"', '{"year":"2026","month":"03"}'],
  ['[scan("\\\\d+")], [scan("(a)(b)")]', '"ab12ab3"', '["12","3"]', '[["a","b"],["a","b"]]'],
  ['sub("(?<d>\\\\d)"; "<\\(.d)>"), gsub("\\\\s"; "")', '"a 1 b 2"', 'a <1> b 2', 'a1b2'],
  ['explode, (explode | implode)', '"aé😀"', '[97,233,128512]', 'aé😀'],
  ['length, utf8bytelength', '"aé😀"', '3', '7'],
  ['. * {b: {c: 2}}', '{"a":1,"b":{"d":3}}', '{"a":1,"b":{"d":3,"c":2}}'],
  ['1.0, 1.50, 1e3, 100000000000000000000000001', 'null', '1.0', '1.50', '1E+3', '100000000000000000000000001'],
  [
    '.',
    '{"id":12345678901234567890,"x":1.000,"b":2,"a":1,"10":3,"9":4}',
    '{"id":12345678901234567890,"x":1.000,"b":2,"a":1,"10":3,"9":4}',
  ],
  ['. + 1', '12345678901234567890', '12345678901234567000'],
  ['sort', '[{"b":1},"a",[1],2,null,true,false]', '[null,false,true,2,"a",[1],{"b":1}]'],
  ['INDEX(.id) | keys', list, '["del_1","del_2","del_3"]'],
  ['limit(0; 1, 2)', 'null'],
  ['halt, 1', 'null'],
  ['fromdate, (fromdate | todate)', '"2015-03-05T23:51:47Z"', '1425599507', '2015-03-05T23:51:47Z'],
  [
    'strptime("%Y-%m-%dT%H:%M:%SZ"), (strptime("%Y-%m-%dT%H:%M:%SZ") | mktime)',
    '"2015-03-05T23:51:47Z"',
    '[2015,2,5,23,51,47,4,63]',
    '1425599507',
  ],
  ['empty', '1'],
  ['""', 'null', ''],
  [
    '(1, 0) as $d | try (6 / $d) catch .',
    'null',
    '6',
    'number (6) and number (0) cannot be divided because the divisor is zero',
  ],
  ['# a comment\n.a # another', '{"a":1}', '1'],
  ['"\\("a", "b")\\(1, 2)"', 'null', 'a1', 'b1', 'a2', 'b2'],
]
