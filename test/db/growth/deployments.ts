import type { Size } from "./rows.ts";
import { userOf, type Person } from "./people.ts";
import { each } from "./rows.ts";

/** Deployments of each site in the past year. */
const DEPLOYMENTS_EACH = 10;
/** What a sweep finds to do, at every size. */
const OPEN = 10;

/** A site for each project, by the project's number. */
interface Sites {
  count: number;
  user: (n: string) => string;
  id: (kind: "project" | "site" | "deployment", n: string) => string;
  /** Deployments that are not over. */
  open: number;
}

/** Statements that fill the tables of deployments, as `rowsOfOthers`. */
export function rowsOfDeployments({ users, projects }: Size, people: readonly Person[]): string[] {
  const others: Sites = {
    count: projects,
    user: (n) => `growth_id('user', 1 + ${n} % ${users})`,
    id: (kind, n) => `growth_id('${kind}', ${n})`,
    open: OPEN,
  };
  const own = people.map((person): Sites => ({
    count: person.projects,
    user: () => `'${userOf(person)}'::uuid`,
    id: (kind, n) => `growth_id('${kind}', ${person.from} + ${n})`,
    open: 0,
  }));
  return [others, ...own].flatMap(rowsOf);
}

function rowsOf({ count, user, id, open }: Sites): string[] {
  const total = count * DEPLOYMENTS_EACH;
  const site = `(1 + (n - 1) % ${count})`;
  return [
    `INSERT INTO deployment_sites (id, project_id, made_for, user_id, provider, account, name, provider_site_id, last_version)
      SELECT ${id("site", "n")}, ${id("project", "n")}, ${id("project", "n")} || '/-', ${user("n")}, 'netlify', 'account',
        'site-' || n, 'site-' || n, ${DEPLOYMENTS_EACH} FROM ${each(count)}`,
    `INSERT INTO deployments (id, site_id, project_id, user_id, provider, version, mode, settings, encrypted_env, status,
        created_at)
      SELECT ${id("deployment", "n")}, ${id("site", site)}, ${id("project", site)}, ${user(site)}, 'netlify',
        1 + (n - 1) / ${count}, 'pre-built', '{}', CASE WHEN n % 2 = 0 THEN 'sealed' END,
        CASE WHEN n > ${total - open} THEN 'deploying' WHEN n % 20 = 0 THEN 'failed' ELSE 'success' END,
        growth_at(n, ${total}) FROM ${each(total)}`,
    `INSERT INTO deployment_logs (deployment_id, line, text)
      SELECT ${id("deployment", "n")}, 1, 'A line.' FROM ${each(total)}`,
  ];
}
