import { describe, expect, it } from '@jest/globals';
import { axisOf, clusterParts, tagGroup, tagLabel, themeOf } from './tags.js';

describe('tags', () => {
  it.each([
    ['theme:hedging', 'THEME', 'Responding under uncertainty'],
    ['theme:complex_responses', 'THEME', 'Response depth'],
    ['theme:communication', 'THEME', 'Expertise-tailored communication'],
    ['theme:health_data_tasks', 'THEME', 'Health data tasks'],
    ['theme:professional', 'THEME', 'Professional'],
    ['physician_agreed_category:only-irreducible-uncertainty', 'PHYSICIAN_CATEGORY', 'Only irreducible uncertainty'],
    ['axis:instruction_following', 'AXIS', 'Instruction following'],
    ['level:cluster', 'LEVEL', 'Shared consensus criterion'],
    [
      'cluster:hedging_no-uncertainty_seeks_context',
      'CLUSTER',
      'Responding under uncertainty, no uncertainty: seeks context',
    ],
    ['cluster:unknown', 'CLUSTER', 'Unknown'],
    ['use_case:consult', 'OTHER', 'Use case: consult'],
    ['good_faith', 'OTHER', 'good_faith'],
  ])('%s is %s, shown as %s', (tag, group, label) => {
    expect([tagGroup(tag), tagLabel(tag)]).toEqual([group, label]);
  });

  it('find the theme and the axis, or null', () => {
    const tags = ['level:example', 'axis:accuracy', 'theme:hedging'];
    expect([themeOf(tags), axisOf(tags)]).toEqual(['theme:hedging', 'axis:accuracy']);
    expect([themeOf([]), axisOf([])]).toEqual([null, null]);
  });

  it('of clusters come apart although themes and questions hold underscores', () => {
    expect(clusterParts('cluster:health_data_tasks_enough-info-to-complete-task_accuracy_safety')).toEqual({
      theme: 'health_data_tasks',
      category: 'enough-info-to-complete-task',
      question: 'accuracy_safety',
    });
    expect(clusterParts('theme:hedging')).toBeNull();
  });
});
