import { Heading } from "../../parts/heading.tsx";
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
    <Loaded title="Settings" of={useProject(project)}>
      {(found) => (
        <>
          <Heading>Settings</Heading>
          {mayEdit && <ProjectForm project={found} />}
          {role === "viewer" && (
            <>
              <p class="muted">You are a viewer of this project. Its administrators can change your role.</p>
              <dl class="facts">
                <dt>Name</dt>
                <dd>{found.name}</dd>
                <dt>Description</dt>
                <dd>{found.description || "–"}</dd>
                <dt>Visible to</dt>
                <dd>{VISIBLE[found.visibility]}</dd>
              </dl>
            </>
          )}
          <Members project={project} isAdministrator={role === "admin"} />
          {mayEdit && (
            <>
              <AlwaysOn project={found} />
              <TemplateForm project={found} />
            </>
          )}
          {role === "admin" && (
            <>
              <h2>Delete project</h2>
              <DeleteProject project={found} />
            </>
          )}
        </>
      )}
    </Loaded>
  );
}
