import type { api } from "@agent-workspace/client";
import { Link } from "wouter-preact";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Pager } from "../../parts/pager.tsx";
import { useNarrowed } from "../../parts/use-narrowed.ts";
import { stale, useProjects } from "../../service/reads.ts";
import { Credentials } from "./credentials.tsx";
import { DEPLOYMENTS, names, useDeployments } from "./reads.ts";

/** Deployments of the person or of a project, and the person's access to hosting providers. */
export function DeploymentList() {
  const { data: projects = [] } = useProjects();
  const { filter: project, page, narrow, go } = useNarrowed("");
  return (
    <>
      <h1>Deployments</h1>
      <p class="muted">A deployment publishes a project at a hosting provider, in your own account there.</p>
      <div class="row">
        <Link class="button primary" href="/deployments/new">
          Deploy a project
        </Link>
        <label for="of" class="hidden">
          Shown
        </label>
        <select id="of" value={project} onChange={({ currentTarget }) => narrow(currentTarget.value)}>
          <option value="">mine, in all projects</option>
          {projects.map(({ id, name }) => (
            <option key={id} value={id}>
              all of {name}
            </option>
          ))}
        </select>
        <button type="button" onClick={() => stale(names.deployments)}>
          Read again
        </button>
      </div>
      <Loaded of={useDeployments(project, page)}>
        {(found) => (
          <>
            {found.length === 0 && (
              <p>No deployment yet: enter your access to a provider, then deploy a project.</p>
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
  const name = projects.find((each) => each.id === project_id)?.name ?? "a project that is gone";
  return (
    <li>
      <Link href={`/deployments/${id}`}>
        {name}, version {version}
      </Link>
      <span class="muted small">
        {provider} · <Moment at={created_at} />
      </span>
      <span class={`outcome ${status === "failed" ? "failed" : ""}`}>{status}</span>
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
      Open the site
    </a>
  );
}
