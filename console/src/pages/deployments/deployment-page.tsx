import type { api } from "@agent-workspace/client";
import { Link } from "wouter-preact";
import { AskFirst } from "../../parts/ask-first.tsx";
import { State } from "../../parts/badge.tsx";
import { Heading } from "../../parts/heading.tsx";
import { hostingName } from "../../parts/hosting-name.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { useLeadOn } from "../../parts/use-lead-on.ts";
import { reads, stale, useProjects } from "../../service/reads.ts";
import { useProjectRole } from "../../service/roles.ts";
import { workspace } from "../../service/workspace.ts";
import { DeploymentLog } from "./deployment-log.tsx";
import { SiteLink } from "./deployment-list.tsx";
import { isOver, names, useDeployment } from "./reads.ts";
import { wordOf } from "./state-word.ts";

/** One deployment: how it stands, its log as it comes, and the way back to it. */
export function DeploymentPage({ deployment }: { deployment: string }) {
  return (
    <>
      <p class="small">
        <Link href="/deployments">Deployments</Link>
      </p>
      <Loaded title="Deployment" of={useDeployment(deployment)}>
        {(found) => (
          <>
            <Heading>Deployment {found.version}</Heading>
            <DeploymentStatus deployment={found} />
            <Steering deployment={found} />
            <DeploymentLog key={found.id} deployment={found} />
          </>
        )}
      </Loaded>
    </>
  );
}

function DeploymentStatus({ deployment }: { deployment: api.Deployment }) {
  const { data: projects = [] } = useProjects();
  const project = projects.find(({ id }) => id === deployment.project_id);
  const { status, provider, provider_status, error, branch, commit_sha } = deployment;
  return (
    <>
      <dl class="facts">
        <dt>State</dt>
        <dd>
          <State of={status} word={wordOf(status)} />
        </dd>
        <dt>Project</dt>
        <dd>
          {project ? <Link href={`/projects/${project.slug}`}>{project.name}</Link> : "A deleted project"}
        </dd>
        <dt>Provider</dt>
        <dd>
          {hostingName(provider)}
          {provider_status !== null && ` (${provider_status})`}
        </dd>
        {branch !== null && (
          <>
            <dt>Branch</dt>
            <dd>
              {branch} {commit_sha?.slice(0, 7)}
            </dd>
          </>
        )}
        <dt>Requested</dt>
        <dd>
          <Moment at={deployment.created_at} />
        </dd>
        <dt>Ended</dt>
        <dd>
          <Moment at={deployment.completed_at} />
        </dd>
      </dl>
      {error !== null && <p class="notice bad">{error}</p>}
      <p>
        <SiteLink deployment={deployment} />
      </p>
    </>
  );
}

function Steering({ deployment }: { deployment: api.Deployment }) {
  const { id, project_id, status, is_kept } = deployment;
  const role = useProjectRole(project_id ?? "");
  const leadOn = useLeadOn();
  const cancelling = useAction(async () => {
    await workspace.deployments.cancel(id);
    stale(names.deployments);
  });
  const again = useAction(async () => {
    const made = await workspace.deployments.redeploy(id);
    stale(names.deployments);
    leadOn(`/deployments/${made.id}`);
  });
  if (role === undefined || role === "viewer") return null;
  return (
    <>
      <div class="row">
        {!isOver(deployment) && status !== "deleting" && (
          <button type="button" disabled={cancelling.isBusy} onClick={() => cancelling.run()}>
            Cancel
          </button>
        )}
        {is_kept && (
          <button type="button" disabled={again.isBusy} onClick={() => again.run()}>
            Redeploy
          </button>
        )}
        {role === "admin" && status !== "deleting" && (
          <AskFirst
            label="Delete deployment…"
            confirm="Delete deployment"
            title="Delete this deployment?"
            work={async () => {
              await workspace.deployments.delete(id);
              reads.removeQueries({ queryKey: names.deployment(id) });
              stale(names.deployments);
              leadOn("/deployments");
            }}
          >
            <p>If this version is live, the site is taken down at the provider.</p>
          </AskFirst>
        )}
      </div>
      {cancelling.error !== undefined && <Refused error={cancelling.error} />}
      {again.error !== undefined && <Refused error={again.error} />}
    </>
  );
}
