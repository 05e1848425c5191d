import { Workspace, type WorkspaceOptions } from "@agent-workspace/client";
import { CommandError, notSignedIn, UsageError } from "./errors.ts";
import { EXIT } from "./exit-codes.ts";
import { findLink, type Link } from "./link/link.ts";
import type { Context } from "./context.ts";
import { accessTokens } from "./session/access-tokens.ts";
import type { Profile } from "./session/profiles.ts";
import { LOCAL_SERVICE, serviceAddress } from "./session/service-address.ts";

/** Whose credentials are used: only a person may answer approvals, and make keys. */
type CallerKind = "person" | "key";

/** The service with the caller's credentials. */
export interface Service {
  readonly address: string;
  readonly caller: CallerKind;
  readonly workspace: Workspace;
}

/** Where the service is, and with which credentials. */
interface Target {
  readonly address: string;
  readonly profile: Profile | undefined;
}

/**
 * The service that is meant: `--url`, `WORKSPACE_URL`, the service of the folder's link if the person is signed in there, the
 * one of the last sign-in, the local one. A link comes with a folder, which others may have made: it never decides where a key
 * of the environment is sent.
 */
export async function findTarget(context: Context): Promise<Target> {
  const { profiles, environment, options } = context;
  const key = environment["WORKSPACE_API_KEY"];
  const named = options.url ?? (environment["WORKSPACE_URL"] || undefined);
  if (key) {
    return { address: serviceAddress(named ?? LOCAL_SERVICE), profile: { kind: "key", key } };
  }
  if (named !== undefined) {
    const address = serviceAddress(named);
    return { address, profile: await profiles.get(address) };
  }
  const link = await findLink(context.folder);
  const linked = link && (await profiles.get(link.service));
  if (link && linked) return { address: link.service, profile: linked };
  const address = (await profiles.current()) ?? LOCAL_SERVICE;
  return { address, profile: await profiles.get(address) };
}

/** The service for a caller with credentials. Throws `not_signed_in` without any. */
export function openService(context: Context): Promise<Service> {
  return openWith(context, {});
}

/** As `openService`, for chats and terminals. Node has a WebSocket of its own only from version 22 on. */
export async function openLiveService(context: Context): Promise<Service> {
  const { WebSocket } = await import("ws");
  return openWith(context, { WebSocket });
}

async function openWith(context: Context, options: Pick<WorkspaceOptions, "WebSocket">): Promise<Service> {
  const { address, profile } = await findTarget(context);
  if (!profile) throw notSignedIn(address);
  const credentials =
    profile.kind === "key"
      ? { apiKey: profile.key }
      : { accessToken: accessTokens(context.profiles, address, profile.accessToken) };
  return {
    address,
    caller: profile.kind === "key" ? "key" : "person",
    workspace: new Workspace({ baseUrl: address, fetch: context.fetch, ...options, ...credentials }),
  };
}

/** The service for a person. Throws when the caller is a key, which may not do this. */
export async function openAsPerson(context: Context, what: string): Promise<Service> {
  const service = await openService(context);
  if (service.caller === "key") {
    throw new CommandError(
      EXIT.notSignedIn,
      "person_needed",
      `${what} needs a person's sign-in, not a key`,
      `Run \`workspace login ${service.address}\`, without WORKSPACE_API_KEY.`,
    );
  }
  return service;
}

/** The link of the folder, where it is one to this service. */
export async function linkOf(
  context: Context,
  { address }: Pick<Service, "address">,
): Promise<Link | undefined> {
  const link = await findLink(context.folder);
  return link?.service === address ? link : undefined;
}

/** Ids of the service have this form; slugs and names never do. */
export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu;

/** Id or slug of the project of `--project`, `WORKSPACE_PROJECT` or the folder's link; undefined without any. */
export async function namedProject(
  context: Context,
  service: Service,
  named: string | undefined,
): Promise<string | undefined> {
  const given = named ?? (context.environment["WORKSPACE_PROJECT"] || undefined);
  return given ?? (await linkOf(context, service))?.projectId;
}

/**
 * Id or slug of the project that is meant: `--project`, `WORKSPACE_PROJECT`, the folder's link, or the only one that a key
 * reaches. Throws `UsageError` when none is.
 */
export async function projectOf(
  context: Context,
  service: Service,
  named: string | undefined,
): Promise<string> {
  const given = await namedProject(context, service, named);
  if (given !== undefined) return given;
  if (service.caller === "key") {
    const [first, ...others] = await service.workspace.request("GET", "/api/projects");
    if (first && others.length === 0) return first.id;
  }
  throw new UsageError(
    "Which project? Name it with --project",
    "`workspace link` ties this folder to a project; `workspace projects` lists yours.",
  );
}

/** As `projectOf`, as an id. */
export async function projectIdOf(
  context: Context,
  service: Service,
  named: string | undefined,
): Promise<string> {
  const project = await projectOf(context, service, named);
  if (UUID.test(project)) return project;
  const { id } = await service.workspace.request("GET", "/api/projects/{project}", { path: { project } });
  return id;
}
