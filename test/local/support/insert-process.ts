import { writeSync } from "node:fs";
import { startNeon } from "#local/neon/index.ts";

/** Inserts without end into the embedded PostgreSQL of the given directory; prints what it found, then each id it was promised. */
const { pool } = await startNeon({ dataDir: process.argv[2] ?? "" });
await pool.query("CREATE TABLE IF NOT EXISTS kept (id serial PRIMARY KEY, text text)");
const { rows: found } = await pool.query<{ id: number }>("SELECT id FROM kept");
writeSync(1, `found ${found.map(({ id }) => id).join(",")}\n`);
for (;;) {
  const { rows } = await pool.query<{ id: number }>("INSERT INTO kept (text) VALUES ($1) RETURNING id", [
    "x".repeat(Math.random() * 3000),
  ]);
  writeSync(1, `kept ${rows[0]?.id}\n`);
}
