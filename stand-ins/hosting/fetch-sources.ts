import fs from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import path from "node:path";
import * as git from "isomorphic-git";
import http from "isomorphic-git/http/node";
import { temporaryDir } from "#local/data-dir.ts";
import type { KeptFiles } from "./kept-files.ts";
import type { DeployedFile } from "./records.ts";
import { tidyPath } from "./sources.ts";

const TIMEOUT_MS = 120_000;

/** Fetches the newest commit of a branch over HTTP, without credentials, and keeps its files. */
export async function fetchSources(
  { files: kept, dataDir }: { files: KeptFiles; dataDir: string },
  { url, branch, folder }: { url: string; branch: string; folder: string },
  closing: AbortSignal,
): Promise<{ files: DeployedFile[]; commit: string } | { reason: string }> {
  if (!/^https?:$/u.test(URL.parse(url)?.protocol ?? ""))
    return { reason: "The repository has no http address." };
  await mkdir(temporaryDir(dataDir), { recursive: true });
  const dir = await mkdtemp(path.join(temporaryDir(dataDir), "hosting-"));
  const ended = AbortSignal.any([closing, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    await orEnd(
      ended,
      git.clone({
        fs,
        http,
        dir,
        url,
        ref: branch,
        singleBranch: true,
        depth: 1,
        noCheckout: true,
        noTags: true,
      }),
    );
    const commit = await git.resolveRef({ fs, dir, ref: "HEAD" });
    return { files: await collect(kept, dir, commit, tidyPath(folder) ?? ""), commit };
  } catch (error) {
    if (closing.aborted) throw error;
    if (error instanceof git.Errors.UnsafeFilepathError) {
      return { reason: `The repository has a file that the stand-in cannot name: ${error.data.filepath}` };
    }
    const why = error instanceof git.Errors.HttpError ? ` (${error.data.statusCode})` : "";
    return { reason: `The branch ${branch} could not be fetched from the repository${why}.` };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** The files of a commit below a folder, without submodules and symbolic links. */
async function collect(
  kept: KeptFiles,
  dir: string,
  commit: string,
  folder: string,
): Promise<DeployedFile[]> {
  const files: DeployedFile[] = [];
  await git.walk({
    fs,
    dir,
    trees: [git.TREE({ ref: commit })],
    map: async (at, [entry]) => {
      if (!entry || (await entry.type()) !== "blob" || (await entry.mode()) === 0o120000) return;
      const content = await entry.content();
      const isWithin = folder === "" || at.startsWith(`${folder}/`);
      if (!content || !isWithin) return;
      const { blob, size } = kept.keep(content);
      files.push({ path: folder === "" ? at : at.slice(folder.length + 1), blob, size, type: undefined });
    },
  });
  return files;
}

function orEnd<T>(ended: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  ended.addEventListener("abort", () => reject(new Error("The fetch was ended")), { once: true });
  return Promise.race([work, promise]);
}
