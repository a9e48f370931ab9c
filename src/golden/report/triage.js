
// What is decided about changed pictures: collected here, and followed by `golden approve --decisions`, which looks at
// trace and picture again. The page itself changes nothing.
const decisions = new Map();
const REMEMBERED = 'aerogpu-replay golden ' + report.id;
const nameOf = (entry) => entry.group.key + '/' + entry.key;
const canDecide = (entry) => Boolean(entry.frame && entry.frame.decision);
const decisionOf = (entry) => decisions.get(nameOf(entry));

// A page that is loaded again goes on where it was. Where nothing can be kept, it begins anew.
function remember() {
  try { localStorage.setItem(REMEMBERED, JSON.stringify([...decisions])); } catch { return; }
}
function recall() {
  try {
    for (const [name, decision] of JSON.parse(localStorage.getItem(REMEMBERED)) || []) decisions.set(name, decision);
  } catch { decisions.clear(); }
}

function decide(chosen, decision) {
  for (const entry of chosen.filter(canDecide)) {
    if (decision) decisions.set(nameOf(entry), decision);
    else decisions.delete(nameOf(entry));
  }
  remember();
  showDecisions();
}

// Frames that changed for the same reason, whatever their cases.
function clustersOf(all) {
  const clusters = new Map();
  for (const entry of all.filter(canDecide)) {
    const reason = entry.frame.status === 'missing' ? 'no golden yet' : entry.frame.cause_group;
    if (!reason) continue;
    if (!clusters.has(reason)) clusters.set(reason, []);
    clusters.get(reason).push(entry);
  }
  return [...clusters].filter(([, members]) => members.length > 1).sort(([, a], [, b]) => b.length - a.length);
}

function decisionsFile() {
  const all = entries.filter((entry) => canDecide(entry) && decisionOf(entry)).map((entry) => ({ ...entry.frame.decision, decision: decisionOf(entry) }));
  return JSON.stringify({ schema: 1, decisions: all }, null, 1) + '\n';
}
const FILE_NAME = 'decisions.json';
const approveCommand = () => {
  const isOther = entries.some((entry) => canDecide(entry) && decisionOf(entry) === 'accept' && entry.found.is_trace_changed);
  return report.approve + ' --decisions ' + FILE_NAME + (isOther ? ' --allow-trace-change' : '');
};

function showDecisions() {
  const open = entries.filter(canDecide), count = (decision) => open.filter((entry) => decisionOf(entry) === decision).length;
  for (const entry of open) {
    entry.mark.textContent = { accept: '✓', reject: '✗' }[decisionOf(entry)] || '';
    entry.button.dataset.decision = decisionOf(entry) || '';
  }
  for (const button of document.querySelectorAll('[data-decide]')) {
    button.setAttribute('aria-pressed', String(decisionOf(entries[shownEntry]) === button.dataset.decide));
  }
  const bar = document.getElementById('triage');
  bar.hidden = !open.length;
  const [accepted, rejected] = [count('accept'), count('reject')];
  document.getElementById('decided').textContent = accepted + ' accepted, ' + rejected + ' rejected, ' + (open.length - accepted - rejected) + ' to decide';
  document.getElementById('decisions').value = decisionsFile();
  document.getElementById('approve-command').textContent = approveCommand();
  document.body.dataset.decided = String(accepted + rejected);
}

function triageBar() {
  const bar = document.getElementById('triage'), details = make('details', {}, make('summary', { id: 'decided' }));
  const command = make('code', { id: 'approve-command' }), file = make('textarea', { id: 'decisions', readonly: '', rows: 8, 'aria-label': 'decisions as a file' });
  details.append(make('p', {}, 'Save the decisions and run this command where the test ran. It renders every accepted picture again, and changes nothing if one of them or its trace has changed.'),
    make('p', {}, command, ' ', copyButton(() => command.textContent)),
    make('p', {}, make('button', { onclick: save }, 'Save ' + FILE_NAME), ' ', copyButton(() => file.value, 'Copy the file'), ' ', make('button', { onclick: () => decide(entries, null) }, 'Forget all')), file);
  bar.append(details);
  for (const [reason, members] of clustersOf(entries)) {
    const cases = new Set(members.map((entry) => entry.group.key)).size, size = members.length + ' pictures' + (cases > 1 ? ' of ' + cases + ' cases' : '');
    bar.append(make('div', { class: 'cluster' }, make('button', { class: 'link', onclick: () => show(entries.indexOf(members[0])) }, size + ': ' + reason), ' ',
      make('button', { class: 'accept', onclick: () => decide(members, 'accept') }, 'Accept all'), ' ', make('button', { class: 'reject', onclick: () => decide(members, 'reject') }, 'Reject all')));
  }
}
function save() {
  const link = make('a', { href: URL.createObjectURL(new Blob([decisionsFile()], { type: 'application/json' })), download: FILE_NAME });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// Where a page may not reach the clipboard, the text is selected for the user to copy.
function copyButton(text, label) {
  const name = label || 'Copy', button = make('button', { class: 'copy', type: 'button' }, name);
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text());
      button.textContent = 'Copied';
    } catch {
      const field = make('textarea', {});
      field.value = text();
      document.body.append(field);
      field.select();
      button.textContent = document.execCommand('copy') ? 'Copied' : 'Select and copy';
      field.remove();
    }
    setTimeout(() => { button.textContent = name; }, 1500);
  });
  return button;
}
function decideBar(entry) {
  if (!canDecide(entry)) return null;
  const button = (decision, name, key) => make('button', { class: decision, 'data-decide': decision, onclick: () => toggleDecision(decision), title: 'key ' + key }, name);
  return make('div', { class: 'bar' }, button('accept', 'Accept', 'y'), button('reject', 'Reject', 'n'));
}
function toggleDecision(decision) {
  const entry = entries[shownEntry];
  decide([entry], decisionOf(entry) === decision ? null : decision);
}
