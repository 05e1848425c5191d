import { startNeon } from "#local/neon/index.ts";
import { neon, neonConfig } from "@neondatabase/serverless";
const dir = process.argv[2]!;
const t0 = performance.now();
const b = await startNeon({ dataDir: dir, databaseUrl: process.argv[3] });
console.log("start", performance.now() - t0, b);
neonConfig.fetchEndpoint = b.httpUrl;
neonConfig.disableWarningInBrowsers = true;
const sql = neon(b.databaseUrl);
console.log(
  await sql.query("select $1::jsonb j, $2::text[] a, now() n, $3::bytea b, null x, true t", [
    '{"a":1}',
    ["x", "y"],
    Buffer.from("hi"),
  ]),
);
await sql.query("drop table if exists t");
await sql.query("create table t(id int primary key, a text)");
console.log(
  await sql.transaction([sql`insert into t values (1,'a')`, sql`select * from t`], {
    isolationLevel: "Serializable",
  }),
);
try {
  await sql`insert into t values (1,'b')`;
} catch (e: any) {
  console.log(e.code, e.constraint, e.table, e.detail, e.message);
}
try {
  await sql.transaction([sql`insert into t values (2,'b')`, sql`insert into t values (1,'b')`]);
} catch (e: any) {
  console.log(e.code);
}
console.log(await sql`select count(*) from t`);
for (let r = 0; r < 3; r++) {
  const l = [];
  for (let i = 0; i < 1000; i++) {
    const t = performance.now();
    await sql.query("insert into t values($1,$2)", [1000 * r + i + 10, "x"]);
    l.push(performance.now() - t);
  }
  l.sort((a, b) => a - b);
  console.log("insert via http p50", l[500].toFixed(3), "p95", l[950].toFixed(3));
}
await b.close();
console.log("closed");
