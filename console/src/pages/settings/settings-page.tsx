import { Loaded } from "../../parts/loaded.tsx";
import { DeleteProject } from "../../parts/project/delete-project.tsx";
import { useProject } from "../../service/reads.ts";
import { useProjectRole } from "../../service/roles.ts";
import { AlwaysOn } from "./always-on.tsx";
import { Members } from "./members.tsx";
import { ProjectForm } from "./project-form.tsx";
import { TemplateForm } from "./template-form.tsx";

const VISIBLE = { private: "its members", team: "its team", public: "everyone" } as const;

/** What a project is called, who may do what in it, and its end. */
export function SettingsPage({ project }: { project: string }) {
  const role = useProjectRole(project);
  const mayEdit = role === "admin" || role === "editor";
  return (
    <Loaded of={useProject(project)}>
      {(found) => (
        <>
          <h1>Settings</h1>
          {mayEdit && <ProjectForm project={found} />}
          {role === "viewer" && (
            <>
              <p class="muted">You may look at this project. Its administrators change what you may do.</p>
              <dl class="facts">
                <dt>Name</dt>
                <dd>{found.name}</dd>
                <dt>Description</dt>
                <dd>{found.description || "none"}</dd>
                <dt>Seen by</dt>
                <dd>{VISIBLE[found.visibility]}</dd>
              </dl>
            </>
          )}
          <Members project={project} isAdministrator={role === "admin"} />
          {mayEdit && (
            <>
              <AlwaysOn project={project} />
              <TemplateForm project={found} />
            </>
          )}
          {role === "admin" && (
            <>
              <h2>End</h2>
              <DeleteProject project={found} />
            </>
          )}
        </>
      )}
    </Loaded>
  );
}
