import type { api } from "@agent-workspace/client";
import { Link } from "wouter-preact";
import { Moment } from "../../parts/moment.tsx";
import { useMayMake } from "../../service/roles.ts";

/** All projects of the person's active team. */
export function ProjectsPage({ projects }: { projects: readonly api.Project[] }) {
  const mayMake = useMayMake();
  return (
    <>
      <div class="row">
        <h1>Projects</h1>
        <span class="spring" />
        {mayMake && (
          <Link class="button primary" href="/projects/new">
            New project
          </Link>
        )}
      </div>
      <ul class="cards">
        {projects.map(({ id, slug, name, description, status, last_activity }) => (
          <li key={id}>
            <h2>
              <Link href={`/projects/${slug}`}>{name}</Link>
            </h2>
            {description !== "" && <p>{description}</p>}
            <p class="muted small">
              {status} · used <Moment at={last_activity} />
            </p>
          </li>
        ))}
      </ul>
    </>
  );
}
