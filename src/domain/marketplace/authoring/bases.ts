import { parseRepositoryUrl } from "#src/domain/source-control/repositories/index.ts";
import type { CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import { requireTeam } from "#src/domain/organisations/teams/index.ts";
import { deleteBase, requireBase, storeGitBase, type Base } from "#src/domain/workspaces/bases/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { ArchiveStore } from "#src/platform/archives/archive-store.ts";
import type { Db } from "#src/platform/db/client.ts";
import { centsOf } from "./price.ts";
import { basesOfCreator, updateBaseRow, type BaseChange } from "./queries/bases.ts";

/** How a template is paid for from now on. Absent fields are as they are. */
export interface Pricing {
  type?: "free" | "one_time" | undefined;
  dollars?: number | undefined;
}

export type Submission = BaseChange & {
  name: string;
  description: string;
  gitRepoUrl: string;
  pricingType: "free" | "one_time";
  priceCents: number;
};

/**
 * Adds a template whose files are in a repository, which is cloned for each new project. Throws `invalid_input` for an
 * address of another kind, `conflict` for a person with too many templates.
 */
export async function submitBase(
  deps: { db: Db; config: CeilingConfig<"templates"> },
  caller: UserCaller,
  wish: Submission,
): Promise<Base> {
  await requireTeam(deps, caller, "project.create");
  return storeGitBase(deps, caller, { ...wish, gitRepoUrl: addressOf(wish.gitRepoUrl) });
}

/**
 * Changes one of the caller's templates; those who have it keep it. Throws `not_found`, `forbidden` for another person's,
 * and `invalid_input` for an address of a template that is not cloned, and for a price that does not fit.
 */
export async function changeBase(
  deps: { db: Db },
  caller: UserCaller,
  { name, change, pricing = {} }: { name: string; change: BaseChange; pricing?: Pricing },
): Promise<Base> {
  await requireTeam(deps, caller, "project.create");
  const base = await requireBase(deps, caller, name);
  const { gitRepoUrl } = change;
  if (typeof gitRepoUrl === "string" && base.source !== "git") {
    throw new AppError("invalid_input", "git_repo_url: the files of this template are not in a repository");
  }
  const checked = {
    ...change,
    ...(typeof gitRepoUrl === "string" && { gitRepoUrl: addressOf(gitRepoUrl) }),
    ...priceOf(base, pricing),
  };
  const changed = await updateBaseRow(deps.db, { id: base.id, createdBy: caller.userId }, checked);
  if (!changed) throw new AppError("forbidden", "Only its author can change a template");
  return changed;
}

/** What a template costs with a change of its pricing. One that becomes free loses its price. */
function priceOf(base: Base, { type, dollars }: Pricing): Pick<BaseChange, "pricingType" | "priceCents"> {
  if (type === undefined && dollars === undefined) return {};
  const pricingType = type ?? base.pricingType;
  const price = dollars ?? (pricingType === "free" ? 0 : base.priceCents / 100);
  return { pricingType, priceCents: centsOf(pricingType, price) };
}

/**
 * Deletes one of the caller's templates. Throws as `deleteBase`.
 */
export async function removeBase(
  deps: { db: Db; archives: Pick<ArchiveStore, "delete" | "list"> },
  caller: UserCaller,
  name: string,
): Promise<string> {
  await requireTeam(deps, caller, "project.create");
  return deleteBase(deps, caller, name);
}

/** The templates that the caller made. */
export async function listCreatedBases(deps: { db: Db }, caller: UserCaller): Promise<Base[]> {
  return basesOfCreator(deps.db, caller.userId);
}

/** An address that a service may clone for any person: without credentials, and encrypted. */
function addressOf(text: string): string {
  const { url } = parseRepositoryUrl(text);
  if (!url.startsWith("https://"))
    throw new AppError("invalid_input", "git_repo_url: must begin with https://");
  return url;
}
