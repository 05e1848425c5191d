import type { api } from "@agent-workspace/client";
import { Download, Ellipsis, GitFork, Settings, Trash2 } from "lucide-preact";
import { useState } from "preact/hooks";
import { Icon } from "../../parts/icon.tsx";
import { Menu, MenuButton, MenuLink } from "../../parts/menu.tsx";
import { DeletionQuestion } from "../../parts/project/delete-project.tsx";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { useLeadOn } from "../../parts/use-lead-on.ts";
import { keys, stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";

/** What is seldom done with a project: take its files away, copy it, end it. */
export function ProjectMenu({
  project,
  mayFork,
  mayDelete,
}: {
  project: api.Project;
  mayFork: boolean;
  mayDelete: boolean;
}) {
  const leadOn = useLeadOn();
  const [isAsked, setAsked] = useState(false);
  const forking = useAction(async () => {
    const fork = await workspace.projects.fork(project.id);
    stale(keys.projects, keys.sidebar);
    leadOn(`/projects/${fork.slug}`);
  });
  const exporting = useAction(async () => {
    // The browser downloads by itself and cannot renew a session, so this call does it.
    await workspace.account.get();
    location.assign(`/api/projects/${project.id}/export?format=zip`);
  });
  const { error = exporting.error } = forking;
  return (
    <>
      {forking.isBusy && (
        <span class="muted small" role="status">
          Forking…
        </span>
      )}
      <Menu label="Project actions" face={<Icon of={Ellipsis} />} class="icon-button">
        <MenuLink href={`/projects/${project.slug}/settings`} icon={Settings}>
          Settings
        </MenuLink>
        <MenuButton icon={Download} onPicked={() => exporting.run()}>
          Export as zip
        </MenuButton>
        {mayFork && (
          <MenuButton icon={GitFork} onPicked={() => forking.run()}>
            Fork
          </MenuButton>
        )}
        {mayDelete && (
          <>
            <hr />
            <MenuButton icon={Trash2} isDanger onPicked={() => setAsked(true)}>
              Delete…
            </MenuButton>
          </>
        )}
      </Menu>
      {isAsked && <DeletionQuestion project={project} onClosed={() => setAsked(false)} />}
      {error !== undefined && <Refused error={error} />}
    </>
  );
}
