// The timeline of a server that has no operation `timeline`: sizes without roles and marks of what went,
// out of the table of commits.

/// Columns as the operation `timeline` has them; what commits do not tell is left out.
export async function fromCommits(api, { from, to, buckets }, signal) {
  const within = `cycle between ${Number(from ?? 0)} and ${Number(to ?? Number.MAX_SAFE_INTEGER)}`;
  const ends = await api.askAlone({ op: "sql", q: `select min(cycle), max(cycle), count(*) from commits where ${within}` }, signal);
  const [first, last, snapshots] = ends.rows[0];
  if (!snapshots) return { from: 0, to: 0, snapshots: 0, width: 1, cycle: [], stack: [], bytes: [] };
  const width = 2 ** Math.ceil(Math.log2(Math.max(1, (last - first + 1) / buckets)));
  const q = `select max(cycle), bytes, max(bytes), sum(expired), sum(pruned), blocks, time from commits where ${within} group by cycle / ${width} order by 1`;
  const { rows } = await api.askAlone({ op: "sql", q }, signal);
  const column = (index) => rows.map((row) => row[index]);
  return {
    from: first,
    to: last,
    snapshots,
    width,
    cycle: column(0),
    time_ms: column(6).map((time) => new Date(time).getTime()),
    stack: ["all"],
    bytes: [column(1)],
    greatest: column(2),
    expired: column(3),
    pruned: column(4),
    blocks: column(5),
  };
}
