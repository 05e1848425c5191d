import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import type { KeptFiles } from "./kept-files.ts";
import type { DeployedFile } from "./records.ts";

/** What a person wants done with their sources. */
export interface BuildInput {
  buildCommand?: string | null | undefined;
  /** Folder of what is served. */
  outputDirectory?: string | null | undefined;
  /** Folders that the provider looks for where none is named. */
  usualOutputs?: readonly string[];
  /** Whether what is deployed is always a program. */
  isProgram?: boolean;
}

export type ServedRoot = { root: string } | { reason: string };

const MAX_PACKAGE_BYTES = 1024 * 1024;

/**
 * Decides what of the sources the site serves, since the stand-in builds and runs nothing: static files as they are, of a
 * program its `public/`.
 */
export function servedRoot(
  kept: KeptFiles,
  sources: readonly DeployedFile[],
  { buildCommand, outputDirectory, usualOutputs = [], isProgram = false }: BuildInput,
): ServedRoot {
  if (buildCommand !== undefined && buildCommand !== null && buildCommand.trim() !== "") {
    return {
      reason: `The stand-in builds nothing: it does not run \`${buildCommand}\`. Send built files, or leave out the build command.`,
    };
  }
  const has = (folder: string) => sources.some(({ path }) => path.startsWith(`${folder}/`));
  if (isProgram || hasProgram(kept, sources)) {
    if (has("public")) return { root: "public" };
    return {
      reason:
        "The stand-in builds nothing and runs nothing: of a program it serves the folder public/, and there is none.",
    };
  }
  const folder = (outputDirectory ?? "").replaceAll(/^(?:\.?\/)+|\/+$/gu, "");
  if (folder !== "" && folder !== ".") {
    return has(folder) ? { root: folder } : { reason: `There is no output directory ${folder}.` };
  }
  if (sources.some(({ path }) => path === "index.html")) return { root: "" };
  return { root: ["public", ...usualOutputs].find(has) ?? "" };
}

const Package = z.looseObject({ scripts: z.record(z.string(), z.unknown()).optional() });

/** Whether the sources need a build or a process: a Procfile, or a package.json with a script for one. */
function hasProgram(kept: KeptFiles, sources: readonly DeployedFile[]): boolean {
  if (sources.some(({ path }) => path === "Procfile")) return true;
  const file = sources.find(({ path }) => path === "package.json");
  if (!file || file.size > MAX_PACKAGE_BYTES) return false;
  const { scripts = {} } = safeParseJson(kept.read(file.blob).toString(), Package)?.value ?? {};
  return ["build", "start", "vercel-build", "heroku-postbuild"].some((name) => name in scripts);
}

/** A path of an archive or a request as it is kept: relative and without dots; undefined for one that leads out. */
export function tidyPath(path: string): string | undefined {
  const segments = path.split("/").filter((segment) => segment !== "" && segment !== ".");
  return segments.length === 0 || segments.includes("..") ? undefined : segments.join("/");
}
