/** Longest label of a DNS name, RFC 1035. */
const MAX_DNS_LABEL = 63;
/** Separates a project's slug, which never contains two consecutive hyphens, from a container's label. */
export const SEPARATOR = "--";

/** A name as part of paths and addresses: lowercase letters, digits and single hyphens; empty when nothing is left. */
export function sanitizeName(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[\s_.-]+/gu, "-")
    .replaceAll(/[^a-z0-9-]/gu, "")
    .replaceAll(/-+/gu, "-")
    .replaceAll(/^-|-$/gu, "");
}

/** Names and labels that are already taken in a project. */
interface Taken {
  name: string;
  label: string;
  directory: string;
}

/** The name itself, or with the first free number: `api (2)`. */
export function freeName(name: string, others: readonly Taken[]): string {
  return firstFree((n) => (n === 1 ? name : `${name} (${n})`), new Set(others.map((other) => other.name)));
}

/** A directory named after the container that no other container has: `api-2`. */
export function freeDirectory(name: string, others: readonly Taken[]): string {
  const wish = sanitizeName(name) || "app";
  const taken = new Set(others.map((other) => other.directory));
  return firstFree((n) => (n === 1 ? wish : `${wish}-${n}`), taken);
}

/** A label that is free in the project and short enough for `<slug>--<label>` to be one DNS label. */
export function freeLabel(name: string, slug: string, others: readonly Taken[]): string {
  const room = MAX_DNS_LABEL - slug.length - SEPARATOR.length;
  const wish = sanitizeName(name) || "app";
  const taken = new Set(others.map((other) => other.label));
  return firstFree((n) => {
    const suffix = n === 1 ? "" : `-${n}`;
    return wish.slice(0, room - suffix.length).replace(/-$/u, "") + suffix;
  }, taken);
}

function firstFree(candidate: (n: number) => string, taken: ReadonlySet<string>): string {
  let n = 1;
  while (taken.has(candidate(n))) n += 1;
  return candidate(n);
}
