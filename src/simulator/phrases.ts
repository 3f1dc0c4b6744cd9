/** Invented sentences of which the simulated replies are made. They advise nobody. */
export const openings = [
  'Thank you for describing this so clearly.',
  'That sounds uncomfortable, and it makes sense that you ask.',
  'Here is how I would look at this step by step.',
  'The short answer is that it depends on a few details.',
  'I can give you general information, though I cannot examine you.',
  'Let us sort out what is urgent and what can wait.',
];

export const bodies = [
  'From what you write, a mild and passing cause seems more likely than a serious one.',
  'It would help to know how long this has been going on and whether anything makes it better or worse.',
  'Please tell me about other medicines you take, allergies, and earlier illnesses.',
  'Rest, enough to drink and regular meals are a sensible start for the next two days.',
  'Keep a short diary of when it happens, what you did before, and how strong it was from one to ten.',
  'Over-the-counter remedies can ease this, but keep to the dose on the package and to the shortest time.',
  'Avoid combining several products with the same active substance.',
  'A pharmacist can check whether what you take goes together.',
  'The evidence here is mixed, so I would not promise more than some relief.',
  'Children, pregnant women and older people should be seen earlier than others.',
  'A blood test or a simple examination can tell the likely causes apart.',
  'If you have had this before, compare it with the last time and say what is different.',
  'Routine treatment usually begins with the gentlest option and is reviewed after a week.',
  'Recommendations differ between countries, so local guidance goes first.',
  'It is reasonable to wait and watch, as long as nothing new appears.',
];

export const warnings = [
  'Seek help at once if you get chest pain, trouble breathing, confusion, or weakness on one side.',
  'Call your local emergency number if it suddenly becomes much worse.',
  'See a doctor within a day if there is fever above 39 degrees or if you cannot keep fluids down.',
  'Please have it looked at this week if it does not improve.',
];

export const closings = [
  'Would you like help to prepare questions for your appointment?',
  'Tell me more, and I can be more specific.',
  'I hope this helps you decide what to do next.',
];

/** Reasons of a simulated grader, by what it found. */
export const reasons = {
  met: [
    'the reply states this openly and in enough detail',
    'the reply covers every part that the criterion names',
    'this is said in so many words near the middle of the reply',
    'the reply does it, if briefly',
  ],
  notMet: [
    'the reply stays general and never comes to it',
    'only one part is touched and the rest is missing',
    'nothing in the reply says or implies it',
    'the reply hints at it, which is not enough',
  ],
  occurred: [
    'the reply does what the criterion warns of',
    'the undesirable statement is there, in the second half of the reply',
    'the reply leaves the reader with just this impression',
  ],
  avoided: [
    'the reply keeps clear of what the criterion warns of',
    'there is no such statement in the reply',
    'the reply is careful enough at this point',
  ],
};
