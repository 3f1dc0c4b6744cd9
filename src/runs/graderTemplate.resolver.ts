import { Arg, Ctx, Field, ID, InputType, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { BUILT_IN_TEMPLATE, graderTemplate } from '../healthbench/graderPrompt.js';
import { globalId } from '../platform/relay/globalId.js';
import { UserError, withUserErrors } from '../platform/relay/userError.type.js';
import { Access } from '../tenancy/access.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import { createGraderTemplate } from './graderTemplate.js';

@ObjectType('GraderTemplate', {
  simpleResolvers: true,
  description: 'The text that asks the grader about one criterion.',
})
export class GraderTemplateType {
  @Field(() => ID, { nullable: true, description: 'Null for the built-in one.' })
  id!: string | null;

  @Field(() => String)
  name!: string;

  @Field(() => String)
  text!: string;

  @Field(() => String)
  sha256!: string;

  @Field(() => String, { nullable: true, description: 'The published template with this sha256, if it is one.' })
  recognised!: string | null;
}

@InputType()
export class CreateGraderTemplateInput {
  @Field(() => String)
  name!: string;

  @Field(() => String, {
    description:
      'With the placeholders <<conversation>> and <<rubric_item>>, or {prompt}, {completion} and {criterion}.',
  })
  text!: string;
}

@ObjectType()
export class CreateGraderTemplatePayload {
  @Field(() => GraderTemplateType, { nullable: true })
  graderTemplate!: GraderTemplateType | null;

  @Field(() => [UserError])
  userErrors!: UserError[];
}

const shown = (id: string | null, name: string, text: string): GraderTemplateType => {
  const { sha256, recognised } = graderTemplate(text, name);
  return { id, name, text, sha256, recognised };
};

@Resolver()
export class GraderTemplateResolver {
  @Access('VIEWER')
  @Query(() => [GraderTemplateType], { description: 'The built-in template, then those of the team.' })
  async graderTemplates(@Ctx() context: RequestContext): Promise<GraderTemplateType[]> {
    const where = { teamId: context.teamId };
    const rows = await context.db.graderTemplate.findMany({ where, orderBy: { id: 'asc' }, take: 200 });
    const own = rows.map((row) => shown(globalId('GraderTemplate', row.id), row.name, row.text));
    return [shown(null, BUILT_IN_TEMPLATE.name, BUILT_IN_TEMPLATE.text), ...own];
  }

  @Access('RUNNER')
  @Mutation(() => CreateGraderTemplatePayload)
  createGraderTemplate(
    @Arg('input', () => CreateGraderTemplateInput) input: CreateGraderTemplateInput,
    @Ctx() context: RequestContext,
  ): Promise<CreateGraderTemplatePayload> {
    const empty = { graderTemplate: null };
    return withUserErrors<Omit<CreateGraderTemplatePayload, 'userErrors'>>(empty, async () => {
      const row = await createGraderTemplate(context.db, context.teamId, input);
      return { graderTemplate: shown(globalId('GraderTemplate', row.id), row.name, row.text) };
    });
  }
}
