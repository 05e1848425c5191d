import { sql } from "drizzle-orm";
import type { Db } from "#src/platform/db/client.ts";

/** The columns of a container that a fork copies; the others are the fork's own or secret. */
const FIELDS = sql.raw(
  [
    "name, label, directory, container_type, deployment_mode, external_endpoint, base_id, image, service_slug",
    "service_type, port, internal_port, startup_command, build_command, output_directory, framework",
    "deployment_provider, icon, tech_stack, position_x, position_y, wanted",
  ].join(", "),
);

/**
 * Copies another project's containers and their connections into a project. Variables and credentials are secrets of
 * the team and are copied only with `withSecrets`.
 */
export async function copyContainers(
  db: Db,
  { from, to, withSecrets }: { from: string; to: string; withSecrets: boolean },
): Promise<void> {
  await db.execute(sql`
    WITH copied AS (
      INSERT INTO containers (id, project_id, encrypted_env, env_keys, encrypted_credentials, ${FIELDS})
      SELECT gen_random_uuid(), ${to}::uuid,
        CASE WHEN ${withSecrets}::boolean THEN encrypted_env END,
        CASE WHEN ${withSecrets}::boolean THEN env_keys ELSE '{}' END,
        CASE WHEN ${withSecrets}::boolean THEN encrypted_credentials END,
        ${FIELDS}
      FROM containers WHERE project_id = ${from}::uuid
      RETURNING id, label
    )
    INSERT INTO container_connections (id, project_id, source_container_id, target_container_id, label, config)
    SELECT gen_random_uuid(), ${to}::uuid, new_source.id, new_target.id, c.label, c.config
    FROM container_connections c
    JOIN containers source ON source.id = c.source_container_id
    JOIN containers target ON target.id = c.target_container_id
    JOIN copied new_source ON new_source.label = source.label
    JOIN copied new_target ON new_target.label = target.label
    WHERE c.project_id = ${from}::uuid
  `);
}
