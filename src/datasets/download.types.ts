import { Field, Int, ObjectType, registerEnumType } from 'type-graphql';
import { type DatasetDownload, DatasetDownloadStatus, DatasetSource } from '../platform/database.js';
import { globalId } from '../platform/relay/globalId.js';
import { Node } from '../platform/relay/node.type.js';
import { DateTime } from '../platform/relay/scalars.js';

registerEnumType(DatasetSource, {
  name: 'DatasetSource',
  description: 'An official HealthBench file that the service fetches itself, and knows by its size and sha256.',
});
registerEnumType(DatasetDownloadStatus, {
  name: 'DatasetDownloadStatus',
  valuesConfig: {
    IMPORTING: { description: 'All bytes are here and are what they should be.' },
    FAILED: { description: 'Asked for again, it goes on with the bytes that are here.' },
  },
});

@ObjectType('DatasetDownload', {
  implements: Node,
  description: 'An official file on its way into the team. Ask for it again until it is COMPLETED or FAILED.',
})
export class DatasetDownloadType extends Node {
  @Field(() => DatasetSource)
  source!: DatasetSource;

  @Field(() => String, { description: 'What the dataset is called.' })
  name!: string;

  @Field(() => DatasetDownloadStatus)
  status!: DatasetDownloadStatus;

  @Field(() => Int)
  bytesDone!: number;

  @Field(() => Int)
  bytesTotal!: number;

  @Field(() => String, {
    nullable: true,
    description:
      'Why it has FAILED (wrong_size, wrong_sha256, http_status, redirect, address_blocked, …), or waits before another try.',
  })
  reason!: string | null;

  @Field(() => String, { nullable: true, description: 'The same as a sentence.' })
  message!: string | null;

  @Field(() => DateTime)
  createdAt!: Date;

  @Field(() => DateTime)
  updatedAt!: Date;

  @Field(() => DateTime, { nullable: true })
  finishedAt!: Date | null;
}

/** The row as the API shows it. */
export function datasetDownloadType(row: DatasetDownload): DatasetDownloadType {
  const { teamId, etag, ...shown } = row;
  return Object.assign(new DatasetDownloadType(), shown, { id: globalId('DatasetDownload', row.id) });
}
