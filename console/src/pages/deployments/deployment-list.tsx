import type { api } from "@agent-workspace/client";
import { Rocket } from "lucide-preact";
import { Link } from "wouter-preact";
import { State } from "../../parts/badge.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Heading } from "../../parts/heading.tsx";
import { hostingName } from "../../parts/hosting-name.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Pager } from "../../parts/pager.tsx";
import { useNarrowed } from "../../parts/use-narrowed.ts";
import { useProjects } from "../../service/reads.ts";
import { Credentials } from "./credentials.tsx";
import { DEPLOYMENTS, useDeployments } from "./reads.ts";
import { wordOf } from "./state-word.ts";

/** Deployments of the person or of a project, and the person's access to hosting providers. */
export function DeploymentList() {
  const { data: projects = [] } = useProjects();
  const { filter: project, page, narrow, go } = useNarrowed("");
  return (
    <>
      <Heading
        actions={
          <Link class="button primary" href="/deployments/new">
            Deploy a project
          </Link>
        }
      >
        Deployments
      </Heading>
      <p class="muted">
        Publish a project to Vercel, Netlify, Cloudflare, Heroku or DigitalOcean, in your own account.
      </p>
      <div class="row">
        <label for="of" class="hidden">
          Show
        </label>
        <select id="of" value={project} onChange={({ currentTarget }) => narrow(currentTarget.value)}>
          <option value="">My deployments</option>
          {projects.map(({ id, name }) => (
            <option key={id} value={id}>
              All of {name}
            </option>
          ))}
        </select>
      </div>
      <Loaded of={useDeployments(project, page)}>
        {(found) => (
          <>
            {found.length === 0 && (
              <Empty icon={Rocket} title="No deployments yet">
                Add a provider token below, then deploy a project to put it online.
              </Empty>
            )}
            <ul class="list">
              {found.map((deployment) => (
                <DeploymentLine key={deployment.id} deployment={deployment} projects={projects} />
              ))}
            </ul>
            <Pager page={page} hasMore={found.length === DEPLOYMENTS} go={go} />
          </>
        )}
      </Loaded>
      <Credentials />
    </>
  );
}

function DeploymentLine({
  deployment,
  projects,
}: {
  deployment: api.Deployment;
  projects: readonly api.Project[];
}) {
  const { id, project_id, provider, status, version, created_at, error } = deployment;
  const name = projects.find((each) => each.id === project_id)?.name ?? "Deleted project";
  return (
    <li>
      <Link href={`/deployments/${id}`}>
        {name} · {version}
      </Link>
      <span class="muted small">
        {hostingName(provider)} · <Moment at={created_at} />
      </span>
      <State of={status} word={wordOf(status)} />
      {error !== null && <span class="small outcome failed">{error}</span>}
      <SiteLink deployment={deployment} />
    </li>
  );
}

/** A link to the published site. What a provider says is an address only if it is one of the web. */
export function SiteLink({ deployment: { deployment_url: address } }: { deployment: api.Deployment }) {
  if (address === null || !/^https?:\/\//u.test(address)) return null;
  return (
    <a href={address} target="_blank" rel="noreferrer">
      Open site
    </a>
  );
}
