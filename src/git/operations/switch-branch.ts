import * as git from "isomorphic-git";
import { AppError } from "#src/lib/errors.ts";
import { checkBranchName } from "../names.ts";
import type { GitOperations } from "../protocol.ts";
import { requireRepository, resolve, type Repository } from "../repository.ts";
import { checkout } from "./checkout.ts";
import { setUpstream } from "./init.ts";

const REMOTE = "origin";

/** Checks out a branch; a branch that only the remote has is created locally first, as in git. */
export async function switchBranch(
  repository: Repository,
  { name }: GitOperations["switchBranch"]["input"],
): Promise<GitOperations["switchBranch"]["output"]> {
  await requireRepository(repository);
  checkBranchName(name);
  const ref = `refs/heads/${name}`;
  const local = await resolve(repository, ref);
  const sha = local ?? (await resolve(repository, `refs/remotes/${REMOTE}/${name}`));
  if (sha === undefined) throw new AppError("not_found", `There is no branch ${name}`);

  await checkout(repository, sha);
  const { at } = repository;
  if (local === undefined) {
    await git.writeRef({ ...at, ref, value: sha });
    await setUpstream(repository, name, REMOTE, name);
  }
  await git.writeRef({ ...at, ref: "HEAD", value: ref, symbolic: true, force: true });
  return { branch: name };
}
