import { z } from "zod";
import { parseJson } from "#src/lib/parse-json.ts";
import type { Row } from "#stand-ins/shared/sqlite.ts";
import { PROVIDERS, type Provider } from "./providers.ts";

const Details = z.record(z.string(), z.unknown());
/** What only the wire of the provider reads. */
export type Details = z.infer<typeof Details>;

/** A Vercel project, a Netlify site, a Worker, a Heroku or DigitalOcean app. */
export interface Site {
  id: string;
  provider: Provider;
  account: string;
  name: string;
  /** Label of its address, unique at the stand-in. */
  host: string;
  details: Details;
  createdAt: number;
  updatedAt: number;
  /** The deployment that people see. */
  live: string | undefined;
}

/**
 * What is stored about a deployment's progress. `ready` and `failed` are how it ends: before `dueAt` it still looks as if it
 * were being built.
 */
export type Status = "uploading" | "working" | "ready" | "failed" | "canceled";

export interface Deployment {
  id: string;
  /** Grows with each deployment. */
  seq: number;
  site: string;
  status: Status;
  createdAt: number;
  dueAt: number;
  /** Whether it has been published at its due time. */
  published: boolean;
  /** Whether it goes to the site's address when it is ready. */
  isProduction: boolean;
  /** Folder of its files that is served; empty for all of them. */
  root: string;
  /** Label of its own address, if it has one. */
  host: string | undefined;
  /** Why it failed. */
  reason: string | undefined;
  log: string[];
  details: Details;
}

/** How a deployment looks at a moment. */
export type Phase = "uploading" | "queued" | "building" | "ready" | "failed" | "canceled";

/** Milliseconds that a deployment is queued and then built, so that a client has to ask again. */
export interface Pace {
  queued: number;
  building: number;
}

export function phaseOf({ status, createdAt, dueAt }: Deployment, now: number, pace: Pace): Phase {
  if (status === "uploading" || status === "canceled") return status;
  if (status === "working" || now < dueAt) return now < createdAt + pace.queued ? "queued" : "building";
  return status;
}

export function isOver(phase: Phase): boolean {
  return phase === "ready" || phase === "failed" || phase === "canceled";
}

/** One file of a deployment. */
export interface DeployedFile {
  /** Without a leading slash. */
  path: string;
  blob: string;
  size: number;
  /** The content type that was sent with it. */
  type: string | undefined;
}

const ProviderName = z.enum(PROVIDERS);
const StatusName = z.enum(["uploading", "working", "ready", "failed", "canceled"]);

export function siteOf(row: Row): Site {
  return {
    id: String(row["id"]),
    provider: ProviderName.parse(row["provider"]),
    account: String(row["account"]),
    name: String(row["name"]),
    host: String(row["host"]),
    details: parseJson(String(row["details"]), Details),
    createdAt: Number(row["created_at"]),
    updatedAt: Number(row["updated_at"]),
    live: text(row["live"]),
  };
}

export function deploymentOf(row: Row): Deployment {
  return {
    id: String(row["id"]),
    seq: Number(row["seq"]),
    site: String(row["site"]),
    status: StatusName.parse(row["status"]),
    createdAt: Number(row["created_at"]),
    dueAt: Number(row["due_at"]),
    published: row["published"] === 1,
    isProduction: row["production"] === 1,
    root: String(row["root"]),
    host: text(row["host"]),
    reason: text(row["reason"]),
    log: parseJson(String(row["log"]), z.array(z.string())),
    details: parseJson(String(row["details"]), Details),
  };
}

export function fileOf(row: Row): DeployedFile {
  return {
    path: String(row["path"]),
    blob: String(row["blob"]),
    size: Number(row["size"]),
    type: text(row["type"]),
  };
}

function text(value: Row[string] | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
