import type { api } from "@agent-workspace/client";
import { Link } from "wouter-preact";
import { State } from "../../parts/badge.tsx";
import { Heading } from "../../parts/heading.tsx";
import { Used } from "../../parts/used.tsx";
import { useMayMake } from "../../service/roles.ts";

/** All projects of the person's active team. */
export function ProjectsPage({ projects }: { projects: readonly api.Project[] }) {
  const mayMake = useMayMake();
  return (
    <>
      <Heading
        actions={
          mayMake && (
            <Link class="button primary" href="/projects/new">
              New project
            </Link>
          )
        }
      >
        Projects
      </Heading>
      <ul class="cards">
        {projects.map(({ id, slug, name, description, status, last_activity }) => (
          <li key={id}>
            <h2>
              <Link href={`/projects/${slug}`}>{name}</Link>
            </h2>
            {description !== "" && <p class="muted">{description}</p>}
            <p class="row muted small">
              <State of={status} /> <Used at={last_activity} />
            </p>
          </li>
        ))}
      </ul>
    </>
  );
}
