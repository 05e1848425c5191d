import type { Database } from "#stand-ins/shared/sqlite.ts";
import {
  type DeployedFile,
  type Deployment,
  type Details,
  deploymentOf,
  fileOf,
  isOver,
  type Pace,
  type Phase,
  phaseOf,
  type Site,
  siteOf,
  type Status,
} from "./records.ts";
import { newHex } from "./ids.ts";
import type { KeptFile } from "./kept-files.ts";
import type { Provider } from "./providers.ts";

/** Sites, their deployments and the files of those, until the site is deleted; uploads, which an account keeps. */
export const HOSTING_TABLES = `
  CREATE TABLE IF NOT EXISTS site (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, provider TEXT NOT NULL, account TEXT NOT NULL,
    name TEXT NOT NULL, host TEXT NOT NULL UNIQUE, details TEXT NOT NULL, created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL, live TEXT, published_seq INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX IF NOT EXISTS site_name ON site (provider, name);
  CREATE TABLE IF NOT EXISTS deployment (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, site TEXT NOT NULL, status TEXT NOT NULL,
    created_at INTEGER NOT NULL, due_at INTEGER NOT NULL, published INTEGER NOT NULL DEFAULT 0,
    production INTEGER NOT NULL, root TEXT NOT NULL DEFAULT '', host TEXT UNIQUE, reason TEXT,
    log TEXT NOT NULL DEFAULT '[]', details TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS deployment_site ON deployment (site, seq);
  CREATE INDEX IF NOT EXISTS deployment_due ON deployment (due_at) WHERE status = 'ready' AND published = 0;
  CREATE TABLE IF NOT EXISTS file (
    deployment TEXT NOT NULL, path TEXT NOT NULL, blob TEXT NOT NULL, size INTEGER NOT NULL, type TEXT,
    PRIMARY KEY (deployment, path)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS upload (
    provider TEXT NOT NULL, account TEXT NOT NULL, digest TEXT NOT NULL, blob TEXT NOT NULL, size INTEGER NOT NULL,
    type TEXT, PRIMARY KEY (provider, account, digest)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS note (
    kind TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (kind, id)
  ) STRICT;
`;

/** The longest label of a host name. */
const MAX_LABEL = 63;

export interface NewDeployment {
  id: string;
  site: string;
  status: Status;
  isProduction?: boolean;
  root?: string;
  host?: string;
  reason?: string;
  log?: readonly string[];
  details?: Details;
  files?: readonly DeployedFile[];
}

/** What a build ended in. */
export type Built =
  | { files?: readonly DeployedFile[]; root: string; log: readonly string[] }
  | { reason: string; log: readonly string[] };

/** The stored state. Changes are on disk when a method returns. */
export class HostingStore {
  readonly #db: Database;
  readonly pace: Pace;

  constructor(db: Database, pace: Pace) {
    this.#db = db;
    this.pace = pace;
  }

  /** Does the work, all or none. */
  transaction<T>(work: () => T): T {
    return this.#db.transaction(work);
  }

  addSite(
    site: Pick<Site, "id" | "provider" | "account" | "name"> & { details?: Details },
    now: number,
  ): Site {
    this.#db.run(
      `INSERT INTO site (id, provider, account, name, host, details, created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      site.id,
      site.provider,
      site.account,
      site.name,
      this.#freeHost(site.name, site.provider),
      JSON.stringify(site.details ?? {}),
      now,
      now,
    );
    return this.#expect(this.site(site.provider, site.id));
  }

  site(provider: Provider, id: string): Site | undefined {
    const row = this.#db.get("SELECT * FROM site WHERE id = ? AND provider = ?", id, provider);
    return row && siteOf(row);
  }

  /** The oldest that has this name: names are unique at some providers, within an account at others. */
  siteNamed(provider: Provider, name: string, account?: string): Site | undefined {
    const sql = "SELECT * FROM site WHERE provider = ? AND name = ? AND account LIKE ? ORDER BY seq";
    const row = this.#db.get(sql, provider, name, account ?? "%");
    return row && siteOf(row);
  }

  siteAt(host: string): Site | undefined {
    const row = this.#db.get("SELECT * FROM site WHERE host = ?", host);
    return row && siteOf(row);
  }

  /** Newest first; of one account, or all of them. */
  sites(provider?: Provider, account?: string): Site[] {
    const sql = "SELECT * FROM site WHERE provider LIKE ? AND account LIKE ? ORDER BY seq DESC";
    return this.#db.all(sql, provider ?? "%", account ?? "%").map(siteOf);
  }

  changeSite({ id }: Pick<Site, "id">, details: Details, now: number): void {
    const sql = "UPDATE site SET details = ?, updated_at = ? WHERE id = ?";
    this.#db.run(sql, JSON.stringify(details), now, id);
  }

  /** Removes a site with its deployments and their files. */
  removeSite({ id }: Pick<Site, "id">): void {
    this.transaction(() => {
      this.#db.run("DELETE FROM file WHERE deployment IN (SELECT id FROM deployment WHERE site = ?)", id);
      this.#db.run("DELETE FROM deployment WHERE site = ?", id);
      this.#db.run("DELETE FROM site WHERE id = ?", id);
    });
  }

  addDeployment(deployment: NewDeployment, now: number): Deployment {
    return this.transaction(() => {
      this.#db.run(
        `INSERT INTO deployment (id, site, status, created_at, due_at, production, root, host, reason, log, details)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        deployment.id,
        deployment.site,
        deployment.status,
        now,
        now + this.pace.queued + this.pace.building,
        Number(deployment.isProduction ?? true),
        deployment.root ?? "",
        deployment.host ?? null,
        deployment.reason ?? null,
        JSON.stringify(deployment.log ?? []),
        JSON.stringify(deployment.details ?? {}),
      );
      this.setFiles(deployment.id, deployment.files ?? []);
      return this.#expect(this.deployment(deployment.id));
    });
  }

  deployment(id: string): Deployment | undefined {
    const row = this.#db.get("SELECT * FROM deployment WHERE id = ?", id);
    return row && deploymentOf(row);
  }

  deploymentAt(host: string): Deployment | undefined {
    const row = this.#db.get("SELECT * FROM deployment WHERE host = ?", host);
    return row && deploymentOf(row);
  }

  /** Newest first; of one site, or of all. */
  deployments(site?: string): Deployment[] {
    const sql = "SELECT * FROM deployment WHERE site LIKE ? ORDER BY seq DESC";
    return this.#db.all(sql, site ?? "%").map(deploymentOf);
  }

  /** Those whose build a dying process may have interrupted. */
  unfinished(): Deployment[] {
    return this.#db.all("SELECT * FROM deployment WHERE status = 'working' ORDER BY seq").map(deploymentOf);
  }

  phase(deployment: Deployment, now: number): Phase {
    return phaseOf(deployment, now, this.pace);
  }

  setFiles(deployment: string, files: readonly DeployedFile[]): void {
    for (const { path, blob, size, type } of files) {
      const sql = "INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?)";
      this.#db.run(sql, deployment, path, blob, size, type ?? null);
    }
  }

  files(deployment: string): DeployedFile[] {
    return this.#db.all("SELECT * FROM file WHERE deployment = ? ORDER BY path", deployment).map(fileOf);
  }

  file(deployment: string, path: string): DeployedFile | undefined {
    const row = this.#db.get("SELECT * FROM file WHERE deployment = ? AND path = ?", deployment, path);
    return row && fileOf(row);
  }

  changeDeployment({ id }: Pick<Deployment, "id">, details: Details): void {
    this.#db.run("UPDATE deployment SET details = ? WHERE id = ?", JSON.stringify(details), id);
  }

  /** Ends the work on a deployment that was not cancelled meanwhile; it becomes visible at the end of its pace. */
  finish({ id, createdAt }: Pick<Deployment, "id" | "createdAt">, built: Built, now: number): void {
    this.transaction(() => {
      const failed = "reason" in built;
      const changed = this.#db.run(
        `UPDATE deployment SET status = ?, root = ?, reason = ?, log = ?, due_at = ?
         WHERE id = ? AND status IN ('working', 'uploading')`,
        failed ? "failed" : "ready",
        failed ? "" : built.root,
        failed ? built.reason : null,
        JSON.stringify(built.log),
        Math.max(now, createdAt + this.pace.queued) + this.pace.building,
        id,
      );
      if (changed > 0 && !failed) this.setFiles(id, built.files ?? []);
    });
  }

  /** Cancels a deployment that is not over; returns whether it was so. */
  cancel(deployment: Deployment, now: number): boolean {
    if (isOver(this.phase(deployment, now))) return false;
    const log = [...deployment.log, "Canceled."];
    const sql = "UPDATE deployment SET status = 'canceled', log = ? WHERE id = ?";
    return this.#db.run(sql, JSON.stringify(log), deployment.id) > 0;
  }

  removeDeployment({ id, site }: Pick<Deployment, "id" | "site">): void {
    this.transaction(() => {
      this.#db.run("UPDATE site SET live = NULL WHERE id = ? AND live = ?", site, id);
      this.#db.run("DELETE FROM file WHERE deployment = ?", id);
      this.#db.run("DELETE FROM deployment WHERE id = ?", id);
    });
  }

  /** Puts a deployment at the site's address that was there before; null takes everything off it. */
  setLive({ id }: Pick<Site, "id">, deployment: string | null): void {
    this.#db.run("UPDATE site SET live = ? WHERE id = ?", deployment, id);
  }

  /** Publishes a deployment at once, without its pace. */
  publishNow({ id, site, seq, createdAt }: Deployment): void {
    this.#db.run("UPDATE deployment SET published = 1, due_at = created_at WHERE id = ?", id);
    const sql = "UPDATE site SET live = ?, published_seq = ?, updated_at = ? WHERE id = ?";
    this.#db.run(sql, id, seq, createdAt, site);
  }

  /** Publishes what has become ready. A deployment never replaces one that was made after it. */
  publishDue(now: number): void {
    const due = this.#db.all(
      `SELECT id, site, seq, production FROM deployment
       WHERE status = 'ready' AND published = 0 AND due_at <= ? ORDER BY due_at, seq`,
      now,
    );
    if (due.length === 0) return;
    this.transaction(() => {
      for (const { id, site, seq, production } of due) {
        this.#db.run("UPDATE deployment SET published = 1 WHERE id = ?", String(id));
        const sql = `UPDATE site SET live = ?, published_seq = ?, updated_at = ?
          WHERE id = ? AND published_seq < ?`;
        if (production === 1) this.#db.run(sql, String(id), Number(seq), now, String(site), Number(seq));
      }
    });
  }

  /** Keeps an upload of an account under the digest that the provider knows it by. */
  addUpload(
    provider: Provider,
    account: string,
    upload: Pick<KeptFile, "blob" | "size"> & { digest: string; type?: string },
  ): void {
    this.#db.run(
      "INSERT OR REPLACE INTO upload VALUES (?, ?, ?, ?, ?, ?)",
      provider,
      account,
      upload.digest,
      upload.blob,
      upload.size,
      upload.type ?? null,
    );
  }

  upload(provider: Provider, account: string, digest: string): Omit<DeployedFile, "path"> | undefined {
    const sql = "SELECT blob, size, type FROM upload WHERE provider = ? AND account = ? AND digest = ?";
    const row = this.#db.get(sql, provider, account, digest);
    return row && fileOf({ ...row, path: "" });
  }

  /** Keeps something small that only a wire knows: JSON by kind and id. */
  setNote(kind: string, id: string, body: unknown): void {
    const sql = "INSERT INTO note VALUES (?, ?, ?) ON CONFLICT (kind, id) DO UPDATE SET body = excluded.body";
    this.#db.run(sql, kind, id, JSON.stringify(body));
  }

  note(kind: string, id: string): string | undefined {
    const body = this.#db.get("SELECT body FROM note WHERE kind = ? AND id = ?", kind, id)?.["body"];
    return typeof body === "string" ? body : undefined;
  }

  #freeHost(name: string, provider: Provider): string {
    const label = name.toLowerCase().replaceAll(/[^a-z0-9-]+/gu, "-");
    const wished = [label, `${label}-${provider}`, `${label}-${newHex(6)}`].map((each) =>
      each.slice(-MAX_LABEL).replaceAll(/^-+|-+$/gu, ""),
    );
    const free = wished.find((each) => each !== "" && !this.siteAt(each) && !this.deploymentAt(each));
    return free ?? newHex(12);
  }

  #expect<T>(stored: T | undefined): T {
    if (stored === undefined) throw new Error("What was just stored is not there");
    return stored;
  }
}
