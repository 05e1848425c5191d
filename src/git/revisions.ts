import * as git from "isomorphic-git";
import { AppError } from "#src/lib/errors.ts";
import { isReferenceName } from "./names.ts";
import { resolve, type Repository } from "./repository.ts";

const MAX_LENGTH = 250;
/** Most commits that `~` goes back. */
const MAX_STEPS = 1_000;

/** A name, and the number of steps back from it along first parents. */
const REVISION = /^(?<name>[^~^]+)(?<steps>(?:\^|~\d{0,4})*)$/u;

/**
 * Resolves a commit's name: `HEAD`, a branch, a tag, a branch of a remote, a commit's id or the beginning of one, each
 * optionally followed by `~2` or `^`. Throws `invalid_input` and `not_found`.
 */
export async function resolveRevision(repository: Repository, revision: string): Promise<string> {
  const { name, steps } = REVISION.exec(revision)?.groups ?? {};
  if (name === undefined || revision.length > MAX_LENGTH || !(name === "@" || isReferenceName(name))) {
    throw new AppError("invalid_input", "Invalid commit name");
  }
  const nothing = new AppError("not_found", `There is no commit ${revision}`);
  let oid = await commitOf(repository, name);
  for (let left = stepsIn(steps ?? ""); left > 0 && oid !== undefined; left -= 1) {
    oid = await parentOf(repository, oid);
  }
  if (oid === undefined) throw nothing;
  return oid;
}

async function commitOf(repository: Repository, name: string): Promise<string | undefined> {
  const { at } = repository;
  const refs =
    name === "@" || name === "HEAD"
      ? ["HEAD"]
      : ["tags", "heads", "remotes"].map((kind) => `refs/${kind}/${name}`);
  for (const ref of refs) {
    const oid = await resolve(repository, ref);
    if (oid !== undefined) return readCommitId(repository, oid);
  }
  if (!/^[\da-f]{4,40}$/u.test(name)) return undefined;
  try {
    return await readCommitId(repository, await git.expandOid({ ...at, oid: name }));
  } catch (error) {
    if (error instanceof git.Errors.NotFoundError) return undefined;
    if (error instanceof git.Errors.AmbiguousError) {
      throw new AppError("invalid_input", `More than one object begins with ${name}`);
    }
    throw error;
  }
}

/** Returns the commit of an object, following tags. */
async function readCommitId({ at }: Repository, oid: string): Promise<string | undefined> {
  try {
    return (await git.readCommit({ ...at, oid })).oid;
  } catch (error) {
    if (error instanceof git.Errors.NotFoundError || error instanceof git.Errors.ObjectTypeError)
      return undefined;
    throw error;
  }
}

async function parentOf(repository: Repository, oid: string): Promise<string | undefined> {
  const { commit } = await git.readCommit({ ...repository.at, oid });
  const [parent] = commit.parent;
  return parent && readCommitId(repository, parent);
}

function stepsIn(text: string): number {
  let steps = 0;
  for (const [step] of text.matchAll(/\^|~\d*/gu)) {
    steps += step.length > 1 ? Number(step.slice(1)) : 1;
  }
  if (steps > MAX_STEPS)
    throw new AppError("invalid_input", `A revision can go back at most ${MAX_STEPS} commits`);
  return steps;
}
