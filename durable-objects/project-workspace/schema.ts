/**
 * What a project's object stores, for as long as the project exists.
 *
 * `entries`: one row per file, directory and symbolic link; the root has none. The parent of every entry is a stored
 * directory. A file's bytes are in `content`, or, where that is NULL, in the bucket under `content_id`. A content is
 * never changed in place: each write brings a new `content_id`.
 *
 * `unreferenced`: bucket objects that no entry names, because their upload is under way or died, or because the entry
 * was replaced or removed. Triggers keep it true whichever statement takes the entry away. A sweep deletes them later,
 * so that a reader in the middle of a replaced file still gets the whole of it.
 *
 * `todos`: the to-do list of each chat's agent, as JSON text.
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
];
