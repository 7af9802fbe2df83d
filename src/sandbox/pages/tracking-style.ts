/** The style sheet of the tracking page. */
export const trackingStyle = `:root { color-scheme: light dark; --ground: #f3f5f8; --card: #fff; --text: #1b1f24; --quiet: #57606a; --line: #d0d7de;
  --good: #1a7f37; --now: #0969da; --bad: #b35900; --way-ground: #eef2f5; --way-grid: #dfe5ea; --way-text: #1b1f24;
  --way-quiet: #57606a; --way-planned: #6e7781; --way-trail: #0969da; --way-store: #1b1f24; --way-gate: #9a6700;
  --way-dropoff: #1a7f37 }
@media (prefers-color-scheme: dark) { :root { --ground: #0d1117; --card: #161b22; --text: #e6edf3; --quiet: #9aa4af;
  --line: #3d444d; --good: #3fb950; --now: #58a6ff; --bad: #f0883e; --way-ground: #0d131a; --way-grid: #1c242d;
  --way-text: #e6edf3; --way-quiet: #9aa4af; --way-planned: #7d8894; --way-trail: #58a6ff; --way-store: #e6edf3;
  --way-gate: #d4a72c; --way-dropoff: #3fb950 } }
*, ::before, ::after { box-sizing: border-box }
body { margin: 0; padding: 1rem; font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; color: var(--text);
  background: var(--ground) }
main { max-width: 34rem; margin: 0 auto; padding: 1.5rem; background: var(--card); border: 1px solid var(--line);
  border-radius: 1rem }
h1 { margin: 0; font-size: 1.5rem; line-height: 1.25 }
h2 { margin: 1.5rem 0 .5rem; font-size: 1rem }
p { margin: .25rem 0; overflow-wrap: anywhere }
.eyebrow, footer, time, figcaption { color: var(--quiet); font-size: .875rem }
.badge { display: inline-block; width: .7rem; height: .7rem; margin-right: .5rem; border-radius: 50%;
  background: var(--now) }
.badge.good { background: var(--good) } .badge.bad { background: var(--bad) }
figure { margin: 1.25rem 0 0 } figcaption { margin-top: .5rem }
.way { display: block; width: 100%; height: auto; border: 1px solid var(--line); border-radius: .75rem }
@keyframes pulse { from { opacity: 1 } to { opacity: .35 } }
@media (prefers-reduced-motion: no-preference) { .way-pulse { animation: pulse 1.2s ease-in-out infinite alternate } }
ol { margin: 1.5rem 0 0; padding: 0; list-style: none }
ol li { position: relative; padding: 0 0 1rem 1.75rem }
ol li::before { content: ""; position: absolute; left: .25rem; top: .45rem; width: .75rem; height: .75rem;
  border: 2px solid var(--line); border-radius: 50%; background: var(--card) }
ol li::after { content: ""; position: absolute; left: .5625rem; top: 1.25rem; bottom: -.45rem; border-left: 2px solid var(--line) }
ol li:last-child { padding-bottom: 0 } ol li:last-child::after { display: none }
li.done::before { border-color: var(--good); background: var(--good) }
li.current::before { border-color: var(--now); background: var(--now); outline: 4px solid color-mix(in srgb, var(--now) 25%, transparent) }
li.trouble::before { border-color: var(--bad); background: var(--bad) }
li.current, li.trouble { font-weight: 600 } li.todo { color: var(--quiet) }
li time, li small { display: block; font-weight: 400 }
.proofs { display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); gap: .75rem }
.proofs a { color: inherit; text-decoration: none }
.proofs img { display: block; width: 100%; height: auto; border: 1px solid var(--line); border-radius: .5rem }
footer { max-width: 34rem; margin: 1rem auto 0; text-align: center; overflow-wrap: anywhere }
#connection { margin: 0; color: var(--bad) }
`
