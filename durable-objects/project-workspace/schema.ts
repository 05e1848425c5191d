/**
 * Triggers for an entry that releases a content: bytes in `contents` are deleted at once, an object in the bucket is
 * swept later.
 */
const release = (table: string, event: "DELETE" | "UPDATE OF content_id") => `
  CREATE TRIGGER ${table}_${event === "DELETE" ? "removed" : "replaced"} AFTER ${event} ON ${table}
    WHEN old.content_id IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM entries WHERE content_id = old.content_id)
      AND NOT EXISTS (SELECT 1 FROM staged WHERE content_id = old.content_id)
    BEGIN
      INSERT OR REPLACE INTO unreferenced (content_id, since)
        SELECT old.content_id, unixepoch() * 1000
        WHERE NOT EXISTS (SELECT 1 FROM contents WHERE content_id = old.content_id);
      DELETE FROM contents WHERE content_id = old.content_id;
    END`;

/**
 * The tables of a project's object, for as long as the project exists.
 *
 * `entries`: one row per file, directory and symbolic link; the root has none. The parent of every entry is a stored
 * directory. A file's bytes are a row of `contents`, or an object in the bucket of that `content_id`. A content is
 * never changed in place: each write brings another `content_id`.
 *
 * `staged`: entries that will replace all others once they are complete. It has the shape of `entries`, and rows only
 * while they arrive: rows that a restarted object finds there belong to an interrupted transfer.
 *
 * `unreferenced`: bucket objects that no entry names, because their upload is under way or failed, or because the entry
 * was replaced or removed. Triggers maintain it whichever statement removes the entry. A sweep deletes them later, so
 * that a reader in the middle of a replaced file still gets the whole of it.
 *
 * `todos`: the to-do list of each chat's agent, as JSON text.
 *
 * `shells`, `shell_output`: shell sessions and their output; deleted half an hour after their end.
 *
 * `processes`: programs as they were requested; they do not run here.
 */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE entries (
    path TEXT PRIMARY KEY,
    parent TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('file', 'directory', 'symlink')),
    size INTEGER NOT NULL DEFAULT 0,
    mode INTEGER NOT NULL,
    modified_at INTEGER NOT NULL,
    target TEXT,
    content_id TEXT,
    content BLOB
  )`,
  "CREATE INDEX entries_by_parent ON entries (parent)",
  "CREATE INDEX entries_by_content ON entries (content_id) WHERE content_id IS NOT NULL",
  `CREATE TABLE unreferenced (
    content_id TEXT PRIMARY KEY,
    since INTEGER NOT NULL
  )`,
  `CREATE TRIGGER entry_removed AFTER DELETE ON entries
    WHEN old.content_id IS NOT NULL AND old.content IS NULL
      AND NOT EXISTS (SELECT 1 FROM entries WHERE content_id = old.content_id)
    BEGIN
      INSERT OR REPLACE INTO unreferenced (content_id, since) VALUES (old.content_id, unixepoch() * 1000);
    END`,
  `CREATE TRIGGER entry_replaced AFTER UPDATE OF content_id ON entries
    WHEN old.content_id IS NOT NULL AND old.content IS NULL
      AND NOT EXISTS (SELECT 1 FROM entries WHERE content_id = old.content_id)
    BEGIN
      INSERT OR REPLACE INTO unreferenced (content_id, since) VALUES (old.content_id, unixepoch() * 1000);
    END`,
  `CREATE TABLE todos (
    chat_id TEXT PRIMARY KEY,
    list TEXT NOT NULL
  )`,
  `CREATE TABLE contents (
    content_id TEXT PRIMARY KEY,
    bytes BLOB NOT NULL
  )`,
  "INSERT OR IGNORE INTO contents SELECT content_id, content FROM entries WHERE content IS NOT NULL",
  "DROP TRIGGER entry_removed",
  "DROP TRIGGER entry_replaced",
  "ALTER TABLE entries DROP COLUMN content",
  `CREATE TABLE staged (
    path TEXT PRIMARY KEY,
    parent TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('file', 'directory', 'symlink')),
    size INTEGER NOT NULL DEFAULT 0,
    mode INTEGER NOT NULL,
    modified_at INTEGER NOT NULL,
    target TEXT,
    content_id TEXT
  )`,
  "CREATE INDEX staged_by_parent ON staged (parent)",
  "CREATE INDEX staged_by_content ON staged (content_id) WHERE content_id IS NOT NULL",
  release("entries", "DELETE"),
  release("entries", "UPDATE OF content_id"),
  release("staged", "DELETE"),
  release("staged", "UPDATE OF content_id"),
  `CREATE TABLE shells (
    id TEXT PRIMARY KEY,
    ended_at INTEGER,
    exit_code INTEGER
  )`,
  `CREATE TABLE shell_output (
    shell_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (shell_id, position)
  ) WITHOUT ROWID`,
  `CREATE TABLE processes (
    name TEXT PRIMARY KEY,
    command TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    running INTEGER NOT NULL
  )`,
];
